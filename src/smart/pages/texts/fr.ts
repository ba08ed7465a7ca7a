import type { Texts } from './en.ts';

const whose = {
  patient: 'concernant cette personne',
  user: 'concernant toute personne dont vous pouvez consulter le dossier',
  system: 'concernant toute personne',
};

// In French, zero and one are singular.
const unit = (count: number, one: string, many: string): string => `${count}\u00a0${count < 2 ? one : many}`;

/** The texts in Canadian French: no space before `;`, `!` and `?`, a no-break space before `:` and inside « ». */
export const fr: Texts = {
  signIn: {
    title: 'Ouvrir une session',
    toApp: app => `Ouvrez une session pour accéder à ${app}.`,
    toLauncher: 'Ouvrez une session pour lancer une application pour un patient.',
    user: 'Nom d’utilisateur',
    password: 'Mot de passe',
    submit: 'Ouvrir une session',
    cancel: 'Annuler et revenir à l’application',
    noUser: 'Saisissez votre nom d’utilisateur.',
    noPassword: 'Saisissez votre mot de passe.',
    wrong: 'Le nom d’utilisateur ou le mot de passe est incorrect. Vérifiez-les et réessayez.',
    throttled: wait => `Il y a eu trop de tentatives. Attendez ${wait}, puis réessayez.`,
    notHere:
      'Ce compte ne donne pas accès à ces dossiers. Utilisez un autre compte ou communiquez avec votre administrateur.',
    help: 'Mot de passe oublié? Communiquez avec l’administrateur de votre système de dossiers.',
  },
  patient: {
    title: 'Choisir un patient',
    forApp: app => `${app} s’ouvrira avec le patient que vous aurez choisi.`,
    search: 'Trouver un patient',
    hint:
      'Nom, date de naissance ou numéro d’assurance maladie, dans n’importe quel ordre\u00a0: ' +
      'Tremblay\u00a0Zoë\u00a01980-02-29',
    submit: 'Rechercher',
    results: 'Patients trouvés',
    choose: 'Continuer avec ce patient',
    born: 'Naissance\u00a0:',
    noBirthDate: 'Date de naissance non consignée',
    noName: 'Nom non consigné',
    number: 'Numéro',
    genders: { male: 'Homme', female: 'Femme', other: 'Autre genre', unknown: 'Genre inconnu' },
    none:
      'Aucun patient trouvé. Vérifiez l’orthographe ou élargissez la recherche\u00a0: les premières ' +
      'lettres d’un nom suffisent.',
    found: count => `${unit(count, 'patient trouvé', 'patients trouvés')}.`,
    more: shown =>
      `Les ${shown} premiers patients sont affichés; il y en a d’autres. Ajoutez un nom ou une date de naissance.`,
    searching: 'Recherche en cours…',
    failed: 'La recherche n’a pas fonctionné. Réessayez dans un instant.',
    tooCostly: 'Cette recherche donne trop de patients. Ajoutez un nom ou une date de naissance.',
    tooShort: 'Saisissez un nom, une date de naissance ou un numéro d’assurance maladie.',
    noChoice: 'Choisissez un des patients.',
  },
  consent: {
    title: app => `Autoriser ${app}?`,
    asks: app => `${app} demande l’accès à des dossiers de santé.`,
    app: 'Application',
    returnsTo: host => `Vous serez dirigé vers ${host}`,
    patient: 'Dossier de',
    ofLaunch: 'Le patient dont le dossier était ouvert au lancement de l’application',
    another: 'Choisir un autre patient',
    you: 'Session ouverte par',
    notYou: 'Utiliser un autre compte',
    records: 'Système de dossiers',
    howLong: 'Durée',
    lasts: time => `${time} à compter de maintenant; l’application devra ensuite redemander l’accès`,
    lastsAtLeast: time => `${time} à compter de maintenant, ou plus longtemps si vous l’autorisez ci-dessous`,
    may: 'L’application pourra',
    untick:
      'Vous pouvez décocher ce que vous ne voulez pas communiquer. Il se peut alors que l’application ne ' +
      'fonctionne pas entièrement.',
    identity: 'Savoir qui vous êtes',
    know: 'Savoir quel dossier de patient est ouvert',
    others: 'Vous et cet accès',
    offline: longest => `Garder cet accès en votre absence, pendant au plus ${longest}`,
    offlineIdle: idle => `prend fin plus tôt si l’application ne s’en sert pas pendant ${idle}`,
    online: 'Garder cet accès tant que votre session est ouverte ici',
    verbs: { see: 'consulter', add: 'ajouter', change: 'modifier', remove: 'supprimer' },
    list: of => (of.length < 2 ? of.join('') : `${of.slice(0, -1).join(', ')} et ${of.at(-1)}`),
    act: (verbs, of) => `${verbs.charAt(0).toUpperCase()}${verbs.slice(1)} des données ${whose[of]}`,
    kinds: count => `Les ${count}\u00a0types de données`,
    narrowed: criteria => `seulement si ${criteria}`,
    other: scope => `Se servir de l’autorisation «\u00a0${scope}\u00a0»`,
    allow: 'Autoriser',
    deny: 'Ne pas autoriser',
    nothing: 'Laissez au moins une autorisation cochée ou choisissez «\u00a0Ne pas autoriser\u00a0».',
  },
  onward: {
    title: 'Un instant',
    toApp: app => `Ouverture de ${app}…`,
    link: 'Continuer si rien ne se passe',
  },
  signOut: {
    title: 'Fermer la session',
    who: name => `La session est ouverte par ${name}.`,
    here: 'Fermer la session',
    everywhere: 'Fermer la session sur tous les appareils',
    everywhereHint:
      'Fermer la session sur tous les appareils met aussi fin à ce que les applications peuvent faire en votre nom.',
    done: 'La session est fermée',
    doneTodo:
      'Sur un ordinateur partagé, fermez aussi la fenêtre du navigateur. Les applications encore ouvertes ' +
      'conservent ce qu’elles affichent.',
    again: 'Ouvrir une nouvelle session',
  },
  launcher: {
    title: 'Lancer une application',
    intro: 'Lancez une application pour un patient, comme le fait un système de dossiers médicaux électroniques.',
    partition: 'Système de dossiers',
    app: 'Application',
    opensAt: 'S’ouvre à l’adresse',
    next: 'Suivant\u00a0: choisir le patient',
    noApps: 'Aucune application ne peut être lancée d’ici',
    noAppsTodo:
      'Une application doit avoir une adresse de lancement et être inscrite pour vos dossiers. Communiquez ' +
      'avec votre administrateur.',
    noApp: 'Choisissez une des applications.',
    patientTitle: app => `Lancer ${app}\u00a0: choisir un patient`,
    banner: 'L’application doit indiquer quel dossier est ouvert',
    start: app => `Lancer ${app}`,
    own: 'L’application s’ouvre avec votre propre dossier.',
    otherApp: 'Choisir une autre application',
  },
  time: seconds => {
    if (seconds >= 172_800) return unit(Math.round(seconds / 86_400), 'jour', 'jours');
    if (seconds >= 3600) return unit(Math.round(seconds / 3600), 'heure', 'heures');
    if (seconds >= 60) return unit(Math.ceil(seconds / 60), 'minute', 'minutes');
    return unit(Math.max(1, Math.ceil(seconds)), 'seconde', 'secondes');
  },
  problems: {
    notFound: {
      title: 'Cette page n’existe pas',
      todo: 'Vérifiez l’adresse, ou retournez à l’application d’où vous venez et recommencez.',
    },
    over: {
      title: 'Cette demande est expirée',
      todo:
        'Elle a duré trop longtemps, est déjà terminée ou appartient à un autre navigateur. Retournez à ' +
        'l’application et recommencez.',
    },
    noPatientAccess: {
      title: 'Vous ne pouvez choisir aucun patient',
      todo:
        'Votre compte n’est ni celui d’un clinicien ni celui d’un patient; il ne donne donc accès à aucun ' +
        'dossier ici. Communiquez avec l’administrateur de votre système de dossiers ou utilisez un autre compte.',
    },
    patientGone: {
      title: 'Le dossier de ce patient ne peut pas être ouvert',
      todo:
        'Le dossier est introuvable, ou votre compte ne permet pas de le consulter. Choisissez un autre ' +
        'patient ou communiquez avec votre administrateur.',
    },
    tooMany: {
      title: 'Trop de demandes à la fois',
      todo:
        'Votre réseau envoie trop de demandes en ce moment. Rien n’a été fait. Attendez dix secondes, puis ' +
        'réessayez.',
    },
    unavailable: {
      title: 'Les dossiers sont inaccessibles pour l’instant',
      todo: 'Rien n’a été fait. Attendez un instant, puis réessayez.',
    },
    fault: {
      title: 'Un problème est survenu de notre côté',
      todo: 'Réessayez. Si le problème persiste, transmettez le numéro ci-dessous à votre administrateur.',
    },
    badRequest: {
      title: 'La demande de l’application n’est pas valide',
      todo:
        'Rien n’a été communiqué. Retournez à l’application et recommencez. Si le problème persiste, avisez ' +
        'les concepteurs de l’application.',
    },
    unknownApp: {
      title: 'Cette application est inconnue ici',
      todo:
        'Rien n’a été communiqué. Vérifiez que vous avez ouvert la bonne application et demandez à votre ' +
        'administrateur si elle est inscrite.',
    },
    wrongReturn: {
      title: 'L’adresse de retour donnée par l’application n’est pas inscrite',
      todo:
        'Rien n’a été communiqué, et vous n’avez pas été dirigé vers cette adresse. Avisez les concepteurs ' +
        'de l’application ou votre administrateur.',
    },
  },
  back: 'Ouvrir la page de nouveau',
};

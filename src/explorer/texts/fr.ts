import type { Texts } from './texts.ts';

/** The French texts. */
export const fr: Texts = {
  sectionsLabel: 'Sections du site',
  sections: { interface: 'Interface FHIR', profiles: 'Profils', indexes: 'Index', explain: 'Expliquer' },
  errors: {
    missing: 'Il n’y a rien ici',
    refused: 'La requête a été refusée',
    failed: 'La requête a échoué',
    signIn: 'Utiliser un autre compte ou un autre jeton',
    form: 'Modifier la recherche',
    start: 'Aller à la première page',
  },
  start: {
    title: 'Explorateur',
    lead: 'Consultez les dossiers que vous pouvez voir, et ce que les clients peuvent demander à ce serveur.',
    partitions: 'Dossiers',
    partition: 'Partition à ouvrir',
    open: 'Ouvrir',
    examples: 'Trois requêtes pour commencer',
    examplesHint: 'Les dossiers sont fictifs.',
    chooseWho: 'Vous choisissez à quel titre vous les consultez.',
    launcher: 'Applications',
    launcherHint: 'Le lanceur démarre des applications SMART pour une personne, comme un système de dossiers.',
    launcherLink: 'Ouvrir le lanceur',
    accounts: 'Comptes de démonstration, pour cet ordinateur seulement',
    user: 'Nom d’utilisateur',
    name: 'Nom',
    password: 'Mot de passe',
    addType: 'Ajouter un type de dossiers',
    addTypeLead:
      'Les types sont de la configuration\u00a0: des fichiers JSON, sans code. La commande ' +
      '«\u00a0definitions reload\u00a0» les charge sans redémarrage.',
    capability: 'le type, ses interactions, ses paramètres de recherche et ses permissions',
    parameters: 'vos propres paramètres de recherche, en FHIRPath',
    profile: 'le profil que ses dossiers doivent respecter',
    addTypeMore: 'La page sur les définitions, dans la documentation, décrit ces fichiers pas à pas.',
  },
};

import type { Language } from './language.ts';

/** The texts of the frame that all pages have, of forms with errors, and of the problems of any page. */
const en = {
  /** The language in its own words. */
  language: 'English',
  languages: 'Language',
  /** The name of the service. */
  service: 'Clinical Records',
  skip: 'Skip to main content',
  logged: 'Every access to a record is logged.',
  signOut: 'Sign out',
  /** Precedes the title of a page with errors. */
  titleError: 'Error',
  errorSummary: 'There is a problem',
  /** The folded part of the page of an error. */
  details: 'Details for support',
  errorCode: 'Error',
  requestNumber: 'Request number',
  problems: {
    wrongMethod: {
      title: 'This page cannot be opened this way',
      todo: 'Go back to the page that you came from and start again.',
    },
    tooLarge: { title: 'The form is too large', todo: 'Go back, shorten what you have typed, and send it again.' },
    notAForm: {
      title: 'The form cannot be read',
      todo: 'Go back to the page and use the form there.',
    },
    notComplete: {
      title: 'The form did not arrive',
      todo: 'Check your connection, go back, and send the form again.',
    },
    stale: {
      title: 'This form is too old',
      todo:
        'It was made before you signed in or out, or in another window, or cookies are blocked in this ' +
        'browser. Nothing was done. Open the page again and repeat what you did.',
    },
  },
};

export type PageTexts = typeof en;

const fr: PageTexts = {
  language: 'Français',
  languages: 'Langue',
  service: 'Dossiers cliniques',
  skip: 'Passer au contenu principal',
  logged: 'Chaque accès à un dossier est journalisé.',
  signOut: 'Fermer la session',
  titleError: 'Erreur',
  errorSummary: 'Il y a un problème',
  details: 'Renseignements pour le soutien technique',
  errorCode: 'Erreur',
  requestNumber: 'Numéro de la demande',
  problems: {
    wrongMethod: {
      title: 'Cette page ne peut pas être ouverte de cette façon',
      todo: 'Retournez à la page d’où vous venez et recommencez.',
    },
    tooLarge: {
      title: 'L’envoi est trop volumineux',
      todo: 'Revenez en arrière, raccourcissez votre texte et envoyez-le de nouveau.',
    },
    notAForm: {
      title: 'L’envoi est illisible',
      todo: 'Revenez à la page et utilisez le formulaire qui s’y trouve.',
    },
    notComplete: {
      title: 'L’envoi n’est pas arrivé',
      todo: 'Vérifiez votre connexion, revenez en arrière et envoyez le formulaire de nouveau.',
    },
    stale: {
      title: 'Ce formulaire n’est plus valide',
      todo:
        'Il a été préparé avant l’ouverture ou la fermeture de la session ou dans une autre fenêtre, ou bien ' +
        'les témoins (cookies) sont bloqués dans ce navigateur. Rien n’a été fait. Ouvrez la page de nouveau ' +
        'et recommencez.',
    },
  },
};

export const pageTexts: Readonly<Record<Language, PageTexts>> = { en, fr };

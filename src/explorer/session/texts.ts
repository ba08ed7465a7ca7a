import type { Language } from '../../pages/language.ts';

/** The texts of sign-in. */
const en = {
  /** The heading; the title of the page is `signIn`. */
  title: 'Who is asking?',
  /** Before the title of a page with an error. */
  titleError: 'Error',
  lead: (partition: string) => `The records in “${partition}” are shown to those who may see them.`,
  signIn: 'Sign in',
  signInHint: 'You see what your account may see. The explorer only reads.',
  user: 'As a clinician',
  patient: 'For one patient',
  demonstration: 'Look around',
  demonstrationHint: 'The records of this demonstration are synthetic. This way is open on this machine only.',
  lookAround: 'Look around as the demo backend',
  token: 'Access token',
  tokenHint: 'Paste a token for this partition, without “Bearer”. It is stored encrypted until you sign out.',
  useToken: 'Use this token',
  noToken: 'Paste an access token.',
};

export type SessionTexts = typeof en;

const fr: SessionTexts = {
  title: 'Qui consulte?',
  titleError: 'Erreur',
  lead: partition => `Les dossiers de «\u00a0${partition}\u00a0» sont montrés à qui peut les voir.`,
  signIn: 'Se connecter',
  signInHint: 'Vous voyez ce que votre compte peut voir. L’explorateur ne fait que lire.',
  user: 'Comme clinicien ou clinicienne',
  patient: 'Pour une personne',
  demonstration: 'Jeter un coup d’œil',
  demonstrationHint: 'Les dossiers de cette démonstration sont fictifs. Ce moyen n’est offert que sur cet ordinateur.',
  lookAround: 'Consulter comme système de démonstration',
  token: 'Jeton d’accès',
  tokenHint: 'Collez un jeton pour cette partition, sans «\u00a0Bearer\u00a0». Il est chiffré jusqu’à la déconnexion.',
  useToken: 'Utiliser ce jeton',
  noToken: 'Collez un jeton d’accès.',
};

export const texts: Readonly<Record<Language, SessionTexts>> = { en, fr };

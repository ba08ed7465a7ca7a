import type { Language } from './language.ts';

/** The texts of the frame that all pages have. */
export interface Words {
  /** The language in its own words. */
  readonly language: string;
  readonly languages: string;
  /** The name of the service. */
  readonly service: string;
  readonly skip: string;
  readonly logged: string;
  readonly signOut: string;
}

export const words: Readonly<Record<Language, Words>> = {
  en: {
    language: 'English',
    languages: 'Language',
    service: 'Clinical Records',
    skip: 'Skip to main content',
    logged: 'Every access to a record is logged.',
    signOut: 'Sign out',
  },
  fr: {
    language: 'Français',
    languages: 'Langue',
    service: 'Dossiers cliniques',
    skip: 'Passer au contenu principal',
    logged: 'Chaque accès à un dossier est journalisé.',
    signOut: 'Fermer la session',
  },
};

import type { Language } from '../../pages/language.ts';

/** The texts of the frame and of errors. */
const en = {
  sectionsLabel: 'Sections',
  /** The sections of a partition (sections.ts). */
  sections: {
    interface: 'Interface',
    profiles: 'Profiles',
    indexes: 'Indexes',
    explain: 'Explain',
    exports: 'Exports',
  },
  errors: {
    missing: 'There is nothing here',
    refused: 'The request was refused',
    failed: 'The request failed',
    signIn: 'Use another account or token',
    form: 'Change the search',
    start: 'Go to the first page',
  },
};

export type ShellTexts = typeof en;

const fr: ShellTexts = {
  sectionsLabel: 'Sections du site',
  sections: {
    interface: 'Interface FHIR',
    profiles: 'Profils',
    indexes: 'Index',
    explain: 'Expliquer',
    exports: 'Exportations',
  },
  errors: {
    missing: 'Il n’y a rien ici',
    refused: 'La requête a été refusée',
    failed: 'La requête a échoué',
    signIn: 'Utiliser un autre compte ou un autre jeton',
    form: 'Modifier la recherche',
    start: 'Aller à la première page',
  },
};

export const texts: Readonly<Record<Language, ShellTexts>> = { en, fr };

import type { Texts } from './texts.ts';

/** The French texts. */
export const fr: Texts = {
  sectionsLabel: 'Sections du site',
  sections: { interface: 'Interface FHIR', profiles: 'Profils', indexes: 'Index', explain: 'Expliquer' },
  errors: {
    missing: 'Il n’y a rien ici',
    refused: 'La requête a été refusée',
    failed: 'La requête a échoué',
  },
  start: {
    title: 'Explorateur',
    lead: 'Consultez les dossiers et l’interface de ce serveur.',
    partitions: 'Systèmes de dossiers',
  },
};

import type { Texts } from './texts.ts';

/** The English texts. */
export const en: Texts = {
  sectionsLabel: 'Sections',
  sections: { interface: 'Interface', profiles: 'Profiles', indexes: 'Indexes', explain: 'Explain' },
  errors: {
    missing: 'There is nothing here',
    refused: 'The request was refused',
    failed: 'The request failed',
  },
  start: {
    title: 'Explorer',
    lead: 'Look at the records and at the interface of this server.',
    partitions: 'Records systems',
  },
};

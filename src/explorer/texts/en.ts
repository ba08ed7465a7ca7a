import type { Texts } from './texts.ts';

/** The English texts. */
export const en: Texts = {
  sectionsLabel: 'Sections',
  sections: { interface: 'Interface', profiles: 'Profiles', indexes: 'Indexes', explain: 'Explain' },
  errors: {
    missing: 'There is nothing here',
    refused: 'The request was refused',
    failed: 'The request failed',
    signIn: 'Use another account or token',
    form: 'Change the search',
    start: 'Go to the first page',
  },
  start: {
    title: 'Explorer',
    lead: 'Look at the records that you may see, and at what clients can request from this server.',
    partitions: 'Records',
    partition: 'Partition',
    open: 'Open',
    examples: 'Three queries to begin with',
    examplesHint: 'The records are synthetic.',
    chooseWho: 'You choose as whom you look at them.',
    launcher: 'Apps',
    launcherHint: 'The launcher starts SMART apps for a patient, as an electronic record system does.',
    launcherLink: 'Open the launcher',
    accounts: 'Demo accounts, for this machine only',
    user: 'User name',
    name: 'Name',
    password: 'Password',
    addType: 'Add a type of records',
    addTypeLead:
      'Types are configuration: JSON files, and no code. The command “definitions reload” loads them while the ' +
      'server runs.',
    capability: 'the type, its interactions, search parameters and scopes',
    parameters: 'search parameters of your own, as FHIRPath',
    profile: 'the profile that its records must meet',
    addTypeMore: 'The page on definitions in the documentation goes through the files step by step.',
  },
};

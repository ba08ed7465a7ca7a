import type { Language } from '../../pages/language.ts';

/** The texts of the start page. */
const en = {
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
};

export type StartTexts = typeof en;

const fr: StartTexts = {
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
};

export const startTexts: Readonly<Record<Language, StartTexts>> = { en, fr };

import type { Language } from '../../pages/language.ts';

/** The texts of the page of indexes. */
const en = {
  title: 'Indexes',
  lead: (days: number) =>
    'What searches can use. Each index covers all records of its type. Uses are those of all partitions in the ' +
    `last ${days} days.`,
  since: (day: string) => `Uses have been counted since ${day}.`,
  notCounted: 'No uses have been stored yet: servers store them every five minutes.',
  none: 'Indexes are shown for types whose records your access covers without exception; there are none.',
  notShown: (types: readonly string[]) =>
    `Not shown, since your access does not cover all records of the type: ${types.join(', ')}.`,
  summary: 'State by type',
  type: 'Type',
  index: 'Index',
  state: 'State',
  ready: 'ready',
  pending: 'being built',
  pair: 'pair',
  progress: (done: string, of: string) => `${done} of ${of} records`,
  records: 'Records',
  searches: 'Searches',
  sorts: 'Orders',
  last: 'Last use',
  never: 'never',
  allReady: (count: number) => `The ${count} indexes of the types below are ready.`,
  somePending: (ready: number, pending: number) =>
    `${ready} ready, ${pending} being built: searches by these are answered 503 until then.`,
  indexes: 'Indexes',
  database: 'Indexes of the database that differ from the definitions',
  databaseStates: { ready: 'ready', missing: 'missing', building: 'being built', unused: 'not needed' },
  size: 'Size',
  sizes: 'Size of the indexes of the database',
  measured: (size: string, time: string) => `The indexes of the database take ${size} together, at ${time}.`,
  measuring: 'The indexes of the database are being measured: open this page again.',
  sizesHint: 'Search parameters share the indexes of the database, old versions of records included.',
};

export type IndexTexts = typeof en;

const fr: IndexTexts = {
  title: 'Index',
  lead: days =>
    'Ce que les recherches peuvent utiliser. Chaque index couvre tous les dossiers de son type. Les utilisations ' +
    `sont celles de toutes les partitions au cours des ${days} derniers jours.`,
  since: day => `Les utilisations sont comptées depuis le ${day}.`,
  notCounted: 'Aucune utilisation n’est encore enregistrée\u00a0: les serveurs le font toutes les cinq minutes.',
  none: 'Les index sont montrés pour les types dont votre accès couvre tous les dossiers; il n’y en a aucun.',
  notShown: types =>
    `Non affichés, car votre accès ne couvre pas tous les dossiers du type\u00a0: ${types.join(', ')}.`,
  summary: 'État par type',
  type: 'Type',
  index: 'Index',
  state: 'État',
  ready: 'prêt',
  pending: 'en construction',
  pair: 'paire',
  progress: (done, of) => `${done} dossiers sur ${of}`,
  records: 'Dossiers',
  searches: 'Recherches',
  sorts: 'Tris',
  last: 'Dernière utilisation',
  never: 'jamais',
  allReady: count => `Les ${count} index des types ci-dessous sont prêts.`,
  somePending: (ready, pending) =>
    `${ready} prêts, ${pending} en construction\u00a0: d’ici là, les recherches qui les utilisent reçoivent 503.`,
  indexes: 'Index',
  database: 'Index de la base de données qui diffèrent des définitions',
  databaseStates: { ready: 'prêt', missing: 'manquant', building: 'en construction', unused: 'inutile' },
  size: 'Taille',
  sizes: 'Taille des index de la base de données',
  measured: (size, time) => `Les index de la base de données prennent ${size} en tout, à ${time}.`,
  measuring: 'La taille des index de la base de données est en cours de mesure\u00a0: rouvrez cette page.',
  sizesHint: 'Les paramètres de recherche partagent ces index, où sont aussi les anciennes versions des dossiers.',
};

export const indexTexts: Readonly<Record<Language, IndexTexts>> = { en, fr };

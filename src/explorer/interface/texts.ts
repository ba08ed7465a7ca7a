import type { Language } from '../../pages/language.ts';

/** The texts of the interface. */
export interface InterfaceTexts {
  readonly title: string;
  readonly lead: (types: number) => string;
  readonly type: string;
  readonly interactions: string;
  readonly parameters: string;
  readonly operations: string;
  readonly profiles: string;
  readonly scopes: string;
  readonly documents: string;
  readonly statement: string;
  readonly openApi: string;
  readonly smart: string;
  readonly system: string;
  readonly search: (type: string) => string;
  readonly searchHint: string;
  readonly submit: string;
  readonly read: string;
  readonly readId: string;
  readonly open: string;
  readonly modifier: (parameter: string) => string;
  readonly prefix: (parameter: string) => string;
  readonly noModifier: string;
  readonly example: string;
  readonly any: string;
  readonly order: string;
  readonly newest: string;
  readonly ascending: (parameter: string) => string;
  readonly descending: (parameter: string) => string;
  readonly count: string;
  readonly included: string;
  readonly including: string;
  readonly code: string;
  readonly copy: string;
  readonly copied: string;
  readonly changeOnly: string;
}

const en: InterfaceTexts = {
  title: 'Interface',
  lead: types => `What clients can request here: ${types} ${types === 1 ? 'type' : 'types'} of records.`,
  type: 'Type',
  interactions: 'Interactions',
  parameters: 'Search parameters',
  operations: 'Operations',
  profiles: 'Profiles',
  scopes: 'SMART scopes',
  documents: 'Documents for programs',
  statement: 'Capability statement',
  openApi: 'OpenAPI description',
  smart: 'SMART configuration',
  system: 'On all types',
  search: type => `Search ${type}`,
  searchHint: 'All filled fields must match. A comma separates alternatives.',
  submit: 'Search',
  read: 'Open by id',
  readId: 'Id of the record',
  open: 'Open',
  modifier: parameter => `Modifier of ${parameter}`,
  prefix: parameter => `Comparison of ${parameter}`,
  noModifier: 'no modifier',
  example: 'Example:',
  any: 'any',
  order: 'Order',
  newest: 'as the server prefers',
  ascending: parameter => `${parameter}, ascending`,
  descending: parameter => `${parameter}, descending`,
  count: 'Records on a page',
  included: 'Also return',
  including: 'Referenced and referring records',
  code: 'This request as code',
  copy: 'Copy',
  copied: 'Copied',
  changeOnly: 'Records of this type cannot be searched here.',
};

const fr: InterfaceTexts = {
  title: 'Interface FHIR',
  lead: types => `Ce que les clients peuvent demander ici\u00a0: ${types} ${types < 2 ? 'type' : 'types'} de dossiers.`,
  type: 'Type de dossier',
  interactions: 'Interactions FHIR',
  parameters: 'Paramètres de recherche',
  operations: 'Opérations',
  profiles: 'Profils',
  scopes: 'Permissions SMART',
  documents: 'Documents pour les programmes',
  statement: 'Déclaration de capacités',
  openApi: 'Description OpenAPI',
  smart: 'Configuration SMART',
  system: 'Sur tous les types',
  search: type => `Chercher\u00a0: ${type}`,
  searchHint: 'Tous les champs remplis doivent correspondre. Une virgule sépare des choix.',
  submit: 'Chercher',
  read: 'Ouvrir par identifiant',
  readId: 'Identifiant du dossier',
  open: 'Ouvrir',
  modifier: parameter => `Modificateur de ${parameter}`,
  prefix: parameter => `Comparaison de ${parameter}`,
  noModifier: 'aucun modificateur',
  example: 'Exemple\u00a0:',
  any: 'sans importance',
  order: 'Ordre',
  newest: 'au choix du serveur',
  ascending: parameter => `${parameter}, croissant`,
  descending: parameter => `${parameter}, décroissant`,
  count: 'Dossiers par page',
  included: 'Retourner aussi',
  including: 'Dossiers cités ou qui citent',
  code: 'Cette requête en code',
  copy: 'Copier',
  copied: 'Copié',
  changeOnly: 'Les dossiers de ce type ne se cherchent pas ici.',
};

export const texts: Readonly<Record<Language, InterfaceTexts>> = { en, fr };

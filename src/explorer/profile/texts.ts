import type { Language } from '../../pages/language.ts';

/** The texts of the pages of definitions. */
const en = {
  title: 'Profiles',
  lead: 'What records of each type may contain, by the definitions that this server has loaded.',
  type: 'Type',
  profiles: 'Profiles',
  required: 'every record must meet it',
  incomplete: 'incomplete',
  /** Precedes a link. */
  base: 'Based on:',
  snapshot: 'All elements',
  differential: 'Differences from the base',
  views: 'Views of the definition',
  element: 'Element',
  flags: 'Flags',
  cardinality: 'Cardinality',
  types: 'Type',
  about: 'Meaning and rules',
  mustSupport: 'Must be supported',
  modifier: 'Modifier: it changes the meaning of the record',
  summary: 'Part of the summary',
  binding: 'Codes',
  fixed: 'Fixed value',
  pattern: 'Pattern',
  sliced: 'Sliced by',
  rule: 'Rule',
  instead: (base: string) => `base: ${base}`,
  nothing: 'It adds nothing to its base.',
  more: 'Further elements',
  problems: 'Parts of the definition that cannot be applied',
};

export type ProfileTexts = typeof en;

const fr: ProfileTexts = {
  title: 'Profils',
  lead: 'Ce que peuvent contenir les dossiers de chaque type, selon les définitions chargées par ce serveur.',
  type: 'Type',
  profiles: 'Profils',
  required: 'chaque dossier doit s’y conformer',
  incomplete: 'incomplet',
  base: 'Fondé sur\u00a0:',
  snapshot: 'Tous les éléments',
  differential: 'Différences avec la base',
  views: 'Vues de la définition',
  element: 'Élément',
  flags: 'Indicateurs',
  cardinality: 'Cardinalité',
  types: 'Type',
  about: 'Sens et règles',
  mustSupport: 'À prendre en charge',
  modifier: 'Modificateur\u00a0: change le sens du dossier',
  summary: 'Fait partie du résumé',
  binding: 'Codes',
  fixed: 'Valeur fixe',
  pattern: 'Modèle',
  sliced: 'Découpé selon',
  rule: 'Règle',
  instead: base => `base\u00a0: ${base}`,
  nothing: 'N’ajoute rien à sa base.',
  more: 'Éléments suivants',
  problems: 'Parties de la définition qui ne peuvent être appliquées',
};

export const profileTexts: Readonly<Record<Language, ProfileTexts>> = { en, fr };

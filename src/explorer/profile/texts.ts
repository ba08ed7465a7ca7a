import type { Language } from '../../pages/language.ts';

/** The texts of the pages of definitions. */
export interface ProfileTexts {
  readonly title: string;
  readonly lead: string;
  readonly type: string;
  readonly definition: string;
  readonly profiles: string;
  readonly required: string;
  readonly incomplete: string;
  /** Precedes a link. */
  readonly base: string;
  readonly snapshot: string;
  readonly differential: string;
  readonly views: string;
  readonly element: string;
  readonly flags: string;
  readonly cardinality: string;
  readonly types: string;
  readonly about: string;
  readonly mustSupport: string;
  readonly modifier: string;
  readonly summary: string;
  readonly binding: string;
  readonly fixed: string;
  readonly pattern: string;
  readonly sliced: string;
  readonly rule: string;
  readonly instead: (base: string) => string;
  readonly nothing: string;
  readonly more: string;
  readonly problems: string;
}

export const profileTexts: Readonly<Record<Language, ProfileTexts>> = {
  en: {
    title: 'Profiles',
    lead: 'What records of each type may contain, by the definitions that this server has loaded.',
    type: 'Type',
    definition: 'Definition',
    profiles: 'Profiles',
    required: 'every record must meet it',
    incomplete: 'incomplete',
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
    instead: base => `base: ${base}`,
    nothing: 'It adds nothing to its base.',
    more: 'Further elements',
    problems: 'Parts of the definition that cannot be applied',
  },
  fr: {
    title: 'Profils',
    lead: 'Ce que peuvent contenir les dossiers de chaque type, selon les définitions chargées par ce serveur.',
    type: 'Type',
    definition: 'Définition',
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
  },
};

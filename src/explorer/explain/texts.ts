import type { Language } from '../../pages/language.ts';

const count = (text: string, value: number | undefined): string => (value === undefined ? '' : `${value} ${text}, `);

/** The texts of the page that explains searches. */
const en = {
  title: 'Explain a search',
  lead: 'How a search is understood, which indexes answer it, and what is read.',
  notOffered:
    'This interface does not declare the explanation of searches (`search-explain`). The command `cli explain` ' +
    'explains a search to operators.',
  query: 'Search',
  hint: 'A URL, absolute or below the base.',
  submit: 'Explain',
  understood: (type: string) => `Search of ${type}`,
  clause: 'Criterion',
  by: { index: 'decided by the store', candidates: 'checked on candidates' },
  order: 'Order',
  indexOrder: 'an index has it; the steps show whether it is used',
  sorted: 'no index has it; the matches are sorted',
  /** How a step gets the order: with its index, and without. */
  inOrder: 'read in this order',
  thenSorted: 'what is found is sorted',
  restricted: 'Your access restricts the records further.',
  steps: 'How the store answers',
  step: (operation: string, type: string, times: number) =>
    `${operation} of ${type}${times === 1 ? '' : `, ${times} times`}`,
  rows: (examined: number | undefined, returned: number) => `${count('rows examined', examined)}${returned} returned`,
  index: 'Index',
  use: 'Use',
  none: 'none',
  plan: 'Statement and plan',
  refusal: (text: string) => `The search is answered by an error: ${text}`,
};

export type ExplainTexts = typeof en;

const fr: ExplainTexts = {
  title: 'Expliquer une recherche',
  lead: 'Comment une recherche est comprise, quels index y répondent et ce qui est lu.',
  notOffered:
    'Cette interface ne déclare pas l’explication des recherches (`search-explain`). La commande `cli explain` ' +
    'explique une recherche aux exploitants.',
  query: 'Recherche',
  hint: 'Une URL, absolue ou sous la base.',
  submit: 'Expliquer',
  understood: type => `Recherche de ${type}`,
  clause: 'Critère',
  by: { index: 'décidée par le magasin de données', candidates: 'vérifiée sur des candidats' },
  order: 'Ordre',
  indexOrder: 'un index l’a; les étapes montrent s’il est utilisé',
  sorted: 'aucun index ne l’a; les résultats sont triés',
  inOrder: 'lu dans cet ordre',
  thenSorted: 'ce qui est trouvé est trié',
  restricted: 'Votre accès restreint davantage les dossiers.',
  steps: 'Comment le magasin de données répond',
  step: (operation, type, times) => `${operation} de ${type}${times === 1 ? '' : `, ${times} fois`}`,
  rows: (examined, returned) => `${count('lignes examinées', examined)}${returned} renvoyées`,
  index: 'Index',
  use: 'Utilisation',
  none: 'aucun',
  plan: 'Instruction et plan',
  refusal: text => `La recherche reçoit une erreur\u00a0: ${text}`,
};

export const explainTexts: Readonly<Record<Language, ExplainTexts>> = { en, fr };

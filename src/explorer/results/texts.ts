import type { Language } from '../../pages/language.ts';

/** The texts of results. */
const en = {
  title: (type: string) => `Search: ${type}`,
  record: 'Record',
  changed: 'Last changed',
  none: 'No record matches that you may see.',
  shown: (count: number, total: number | undefined) =>
    `${count} ${count === 1 ? 'record' : 'records'} on this page${total === undefined ? '' : `, ${total} in all`}.`,
  cut: (shown: number) => `The first ${shown} are shown. Choose fewer columns, or fewer records on a page.`,
  included: 'Included records',
  columns: 'Choose columns',
  show: 'Show these columns',
  table: 'Table',
  json: 'JSON',
  xml: 'XML',
  views: 'Views',
  form: 'Change the search',
  explain: 'Explain',
  first: 'First page',
  previous: 'Previous page',
  next: 'Next page',
  paging: 'Pages',
  notes: 'Notes of the server',
  type: 'Type',
  several: 'Records of several types',
  answer: 'The answer of an operation, which is not a stored record.',
};

export type ResultsTexts = typeof en;

const fr: ResultsTexts = {
  title: type => `Recherche\u00a0: ${type}`,
  record: 'Dossier',
  changed: 'Dernière modification',
  none: 'Aucun dossier que vous pouvez voir ne correspond.',
  shown: (count, total) =>
    `${count} ${count < 2 ? 'dossier' : 'dossiers'} sur cette page${total === undefined ? '' : `, ${total} en tout`}.`,
  cut: shown => `Les ${shown} premiers sont affichés. Choisissez moins de colonnes, ou moins de dossiers par page.`,
  included: 'Dossiers inclus',
  columns: 'Choisir les colonnes',
  show: 'Afficher ces colonnes',
  table: 'Tableau',
  json: 'En JSON',
  xml: 'En XML',
  views: 'Vues',
  form: 'Modifier la recherche',
  explain: 'Expliquer',
  first: 'Première page',
  previous: 'Page précédente',
  next: 'Page suivante',
  paging: 'Pagination',
  notes: 'Remarques du serveur',
  type: 'Type de dossier',
  several: 'Dossiers de plusieurs types',
  answer: 'La réponse d’une opération, qui n’est pas un dossier enregistré.',
};

export const texts: Readonly<Record<Language, ResultsTexts>> = { en, fr };

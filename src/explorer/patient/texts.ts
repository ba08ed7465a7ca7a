import type { Language } from '../../pages/language.ts';

/** What the description of a chart has beside its title. */
export interface Extremes {
  readonly first: string;
  readonly last: string;
  readonly latest: string;
  readonly lowest: string;
  readonly highest: string;
}

/** The texts of the overview of a patient. */
const en = {
  timeline: 'Timeline',
  interval: 'Interval',
  years: (count: number) => (count === 1 ? '1 year' : `${count} years`),
  always: 'All',
  charts: 'Measured values',
  chart: (title: string, count: number, { first, last, latest, lowest, highest }: Extremes) =>
    `${title}: ${count === 1 ? 'one value' : `${count} values`} from ${first} to ${last}; ` +
    `latest ${latest}, lowest ${lowest}, highest ${highest}`,
  latest: 'latest',
  reference: (range: string) => `reference range ${range}`,
  moreCharts: 'More values',
  date: 'Date',
  what: 'What',
  status: 'Status',
  undated: 'no date',
  all: 'All records',
  newest: (count: number) => `the newest ${count}`,
  nothing: 'There are no records.',
  noTypes: 'Your access covers no records that belong to this one.',
};

export type PatientTexts = typeof en;

const fr: PatientTexts = {
  timeline: 'Chronologie',
  interval: 'Intervalle',
  years: count => (count === 1 ? '1 an' : `${count} ans`),
  always: 'Tout',
  charts: 'Valeurs mesurées',
  chart: (title, count, { first, last, latest, lowest, highest }) =>
    `${title}\u00a0: ${count === 1 ? 'une valeur' : `${count} valeurs`} du ${first} au ${last}; ` +
    `dernière ${latest}, plus basse ${lowest}, plus haute ${highest}`,
  latest: 'dernière valeur',
  reference: range => `intervalle de référence ${range}`,
  moreCharts: 'Autres valeurs',
  date: 'Date',
  what: 'Objet',
  status: 'État',
  undated: 'sans date',
  all: 'Tous les dossiers',
  newest: count => `les ${count} plus récents`,
  nothing: 'Il n’y a aucun dossier.',
  noTypes: 'Votre accès ne couvre aucun dossier qui appartient à celui-ci.',
};

export const patientTexts: Readonly<Record<Language, PatientTexts>> = { en, fr };

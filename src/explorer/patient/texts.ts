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
export interface PatientTexts {
  readonly overview: string;
  readonly timeline: string;
  readonly interval: string;
  readonly years: (count: number) => string;
  readonly always: string;
  readonly charts: string;
  readonly chart: (title: string, count: number, extremes: Extremes) => string;
  readonly latest: string;
  readonly reference: (range: string) => string;
  readonly values: (count: number) => string;
  readonly moreCharts: string;
  readonly date: string;
  readonly what: string;
  readonly status: string;
  readonly undated: string;
  readonly all: string;
  readonly newest: (count: number) => string;
  readonly nothing: string;
  readonly noTypes: string;
}

export const patientTexts: Readonly<Record<Language, PatientTexts>> = {
  en: {
    overview: 'Overview',
    timeline: 'Timeline',
    interval: 'Interval',
    years: count => (count === 1 ? '1 year' : `${count} years`),
    always: 'All',
    charts: 'Measured values',
    chart: (title, count, { first, last, latest, lowest, highest }) =>
      `${title}: ${count === 1 ? 'one value' : `${count} values`} from ${first} to ${last}; ` +
      `latest ${latest}, lowest ${lowest}, highest ${highest}`,
    latest: 'latest',
    reference: range => `reference range ${range}`,
    values: count => (count === 1 ? 'one value' : `${count} values`),
    moreCharts: 'More values',
    date: 'Date',
    what: 'What',
    status: 'Status',
    undated: 'no date',
    all: 'All records',
    newest: count => `the newest ${count}`,
    nothing: 'There are no records.',
    noTypes: 'Your access covers no records that belong to this one.',
  },
  fr: {
    overview: 'Aperçu',
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
    values: count => (count === 1 ? 'une valeur' : `${count} valeurs`),
    moreCharts: 'Autres valeurs',
    date: 'Date',
    what: 'Objet',
    status: 'État',
    undated: 'sans date',
    all: 'Tous les dossiers',
    newest: count => `les ${count} plus récents`,
    nothing: 'Il n’y a aucun dossier.',
    noTypes: 'Votre accès ne couvre aucun dossier qui appartient à celui-ci.',
  },
};

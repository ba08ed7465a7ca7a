import type { Samples } from './data/samples.ts';
import type { WireRequest } from './protocol.ts';

/**
 * `floor`: koa that runs the statements of the service; `page`: the floor with those alone that fetch the page, which
 * leaves out what the service needs to choose them and to read all of one moment.
 */
export type SubjectName = 'bare' | 'page' | 'floor' | 'service';

/** A kind of request that is measured. */
export interface RequestCase {
  readonly name: string;
  /** The least share of the floor's requests a second that the service may have; undefined for no promise. */
  readonly ofFloor: number | undefined;
  /** Requests a second that the service must reach; undefined for no promise. */
  readonly rate?: number;
  /** How many connections it is measured at; all of the run where it is left out. */
  readonly connections?: readonly number[];
  /** Which subjects can do it; all where it is left out. */
  readonly subjects?: readonly SubjectName[];
  readonly status?: number;
  /** What the subject is asked, in turn; bare koa is asked for as many bytes as the floor answers. */
  readonly requests: (samples: Samples, places: Places) => readonly WireRequest[];
}

/** Where page 1,000 begins: known only when the pages before it were walked. */
export interface Places {
  readonly pageToken: string;
}

const base = '/r4/demo';
export const reads = 0.8;
export const searches = 0.8;
/** What is walked through for page 1,000. */
export const largeResult = `${base}/Observation?category=vital-signs&_count=20`;
/** Pages before it are walked once. */
export const deepPage = 1_000;
/** The case that needs so many pages, which a small store does not have. */
const deep = 'page 1,000';
export const isDeep = ({ name }: RequestCase): boolean => name === deep;

/** The requests to all subjects side by side; one entry is one case. */
export const requestCases: readonly RequestCase[] = [
  {
    name: 'read by id',
    ofFloor: reads,
    requests: ({ records }) => records.map(([type, id]) => ({ path: `${base}/${type}/${id}` })),
  },
  {
    name: 'Observation?patient',
    ofFloor: searches,
    requests: ({ patients }) => patients.map(id => ({ path: `${base}/Observation?patient=${id}&_count=20` })),
  },
  {
    name: 'Observation?patient&category&_sort=-date',
    ofFloor: searches,
    requests: ({ patients }) =>
      patients.map(id => ({
        path: `${base}/Observation?patient=${id}&category=vital-signs&_sort=-date&_count=20`,
      })),
  },
  {
    name: 'Patient?family',
    ofFloor: searches,
    requests: ({ families }) =>
      families.map(family => ({ path: `${base}/Patient?family=${encoded(family)}&_count=20` })),
  },
  {
    name: 'Condition?patient&clinical-status',
    ofFloor: searches,
    requests: ({ withConditions }) =>
      withConditions.map(id => ({ path: `${base}/Condition?patient=${id}&clinical-status=active&_count=20` })),
  },
  {
    name: 'Encounter?patient&date=ge',
    ofFloor: searches,
    requests: ({ patients }) =>
      patients.map(id => ({ path: `${base}/Encounter?patient=${id}&date=ge2024-06-01&_count=20` })),
  },
  {
    name: 'Appointment?date=ge&date=lt&status',
    ofFloor: searches,
    requests: ({ bookedDays }) =>
      bookedDays.map(day => ({
        path: `${base}/Appointment?date=ge${day}&date=lt${dayAfter(day)}&status=booked&_count=20`,
      })),
  },
  { name: 'page 1', ofFloor: searches, requests: () => [{ path: largeResult }] },
  {
    name: deep,
    ofFloor: searches,
    requests: (_, { pageToken }) => [{ path: `${base}/Observation?_page_token=${pageToken}` }],
  },
];

/** As URLs have it, the apostrophe too: the floor knows requests by their path. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27');

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

import type { Samples } from './data/samples.ts';

/** Answers of the service, for cases whose requests depend on them. */
export type Ask = (path: string) => Promise<SearchAnswer>;

export interface SearchAnswer {
  readonly entry?: readonly {
    readonly resource: { readonly id: string; readonly identifier?: readonly { readonly value: string }[] };
  }[];
}

/** A request, and the plain requests whose cost is its measure. */
export interface JoinedRequest {
  readonly path: string;
  readonly plain: readonly string[];
}

/** A search with a join or an include. */
export interface JoinCase {
  readonly name: string;
  /** The most processor time that it may cost, in times of its plain searches together. */
  readonly most: number;
  /** The inner search has more matches in a larger store: the costs of two stores cannot be compared. */
  readonly grows?: true;
  /** None if no sample has an inner search with few matches. */
  readonly requests: (samples: Samples, ask: Ask) => Promise<readonly JoinedRequest[]>;
}

const base = '/r4/demo';
const page = '_count=20';
/** Samples of each case. */
const asked = 100;
/** Most matches of the inner search of a join. */
const mostInner = 100;

/** Budgets of joins and includes; the plain searches of a join are its inner search and the search by its result. */
export const joinCases: readonly JoinCase[] = [
  {
    name: 'Observation?patient.identifier',
    most: 2,
    requests: ({ patients }, ask) =>
      each(patients, async id => {
        const { entry } = await ask(`${base}/Patient?_id=${id}`);
        const identifier = entry?.[0]?.resource.identifier?.[0]?.value ?? '';
        return {
          path: `${base}/Observation?patient.identifier=${identifier}&${page}`,
          plain: [`${base}/Patient?identifier=${identifier}&${page}`, `${base}/Observation?patient=${id}&${page}`],
        };
      }),
  },
  {
    name: 'Encounter?patient.family',
    most: 2,
    grows: true,
    requests: ({ families }, ask) =>
      each(families, async name => {
        const family = encodeURIComponent(name);
        const ids = idsIn(await ask(`${base}/Patient?family=${family}&_count=1000`));
        if (ids.length > mostInner) return undefined;
        return {
          path: `${base}/Encounter?patient.family=${family}&${page}`,
          plain: [`${base}/Patient?family=${family}&${page}`, `${base}/Encounter?patient=${ids.join(',')}&${page}`],
        };
      }),
  },
  {
    name: 'Patient?_has:Appointment:patient:date',
    most: 2,
    grows: true,
    requests: ({ bookedDays }, ask) =>
      each(bookedDays, async day => {
        const { entry = [] } = await ask(`${base}/Appointment?date=${day}&_count=1000&_include=Appointment:patient`);
        const patients = entry.filter(one => 'search' in one && isIncluded(one.search)).map(one => one.resource.id);
        if (entry.length - patients.length > mostInner) return undefined;
        return {
          path: `${base}/Patient?_has:Appointment:patient:date=${day}&${page}`,
          plain: [`${base}/Appointment?date=${day}&${page}`, `${base}/Patient?_id=${patients.join(',')}&${page}`],
        };
      }),
  },
  {
    name: 'Observation?patient&_include=Observation:patient',
    most: 1.6,
    requests: ({ patients }) =>
      each(patients, async id => ({
        path: `${base}/Observation?patient=${id}&_include=Observation:patient&${page}`,
        plain: [`${base}/Observation?patient=${id}&${page}`],
      })),
  },
  {
    name: 'Appointment?date&_include=Appointment:patient',
    most: 1.6,
    requests: ({ bookedDays }) =>
      each(bookedDays, async day => ({
        path: `${base}/Appointment?date=${day}&_include=Appointment:patient&${page}`,
        plain: [`${base}/Appointment?date=${day}&${page}`],
      })),
  },
];

/** The requests of some of the samples. */
export async function each<T>(
  samples: readonly T[],
  make: (sample: T) => Promise<JoinedRequest | undefined>,
): Promise<readonly JoinedRequest[]> {
  const made: JoinedRequest[] = [];
  for (const sample of samples.slice(0, asked)) {
    const request = await make(sample);
    if (request !== undefined) made.push(request);
  }
  return made;
}

const idsIn = ({ entry = [] }: SearchAnswer): readonly string[] => entry.map(({ resource }) => resource.id);

const isIncluded = (search: unknown): boolean => (search as { mode: string }).mode === 'include'; // of a searchset

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../fhir/json.ts';
import { splitForStamp } from '../fhir/resource-text.ts';
import type { Model } from '../model/model.ts';
import type { Change } from '../store/port/records.ts';
import type { Store } from '../store/port/store.ts';
import { makeFolder, ownerOnly } from '../store/files/durable.ts';
import { refuseInterrupted, requireNothingLeft } from '../store/files/left-behind.ts';
import { parseStoreUrl } from '../store/url.ts';
import { isWeekday, printDate } from './calendar.ts';
import { demoUsers } from './clients.ts';
import { generate, printed } from './generate.ts';
import type { GenerateOptions, Generated } from './generate.ts';
import type { Resource } from './resource.ts';
import { createRandom } from './random.ts';
import { workplacesOf } from './visit.ts';
import { cities, familyNames, givenNames, streets } from './words.ts';

export const demoPartition = 'demo';
const zone = 'America/Toronto';
const PATIENTS = 120;
/** Not the default of `generate`, so that generated records can be loaded in addition. */
const SEED = 905;
/** Number of patients that are written, and marked as written, together. */
const BATCH = 8;

/** The mark of a store that was made for the demonstration: its parameters and progress. */
export interface DemoMark extends Required<Omit<GenerateOptions, 'skip'>> {
  /** Patients in the store with all their records. */
  readonly filled: number;
}

/**
 * Whether a store may need filling: its file does not exist, or a note beside it says that filling was begun. Creates
 * the note, so that the store of an interrupted start is not mistaken for a user's own. fillDemo decides for a store
 * that is not a file. Throws `StoreRefused` if the file may be restored.
 */
export function beginDemo(storeUrl: string): boolean {
  const file = fileOf(storeUrl);
  if (file === undefined) return true;
  if (existsSync(noteOf(file))) return true;
  if (existsSync(file)) return false;
  refuseInterrupted(file);
  requireNothingLeft(file);
  makeFolder(dirname(file));
  writeFileSync(noteOf(file), 'The store beside this file is being filled by `serve --demo`.\n', {
    mode: ownerOnly.file,
  });
  return true;
}

/** The mark of the store; undefined if it was not made for the demonstration. */
export async function readDemoMark(store: Store): Promise<DemoMark | undefined> {
  return (await store.documents('demo').get('records')) as DemoMark | undefined; // only fillDemo writes it
}

/**
 * Fills a store for which beginDemo was true, or continues an interrupted filling, and removes the note. A store with
 * partitions and without a mark is a user's own and is not written. `filled` receives the number of patients.
 */
export async function fillDemo(
  { store, model }: { readonly store: Store; readonly model: Model },
  storeUrl: string,
  now: () => number,
  filled: (patients: number, of: number) => void,
): Promise<void> {
  let mark = await readDemoMark(store);
  if (mark === undefined && (await store.partitions.list()).length === 0) {
    const date = printDate(lastWorkday(now()));
    mark = { patients: PATIENTS, seed: SEED, date, filled: 0 };
    await store.documents('demo').put('records', mark);
  }
  if (mark !== undefined && mark.filled < mark.patients) {
    await store.partitions.add(demoPartition, { zone });
    const partition = await store.partition(demoPartition);
    if (partition === undefined)
      throw new Error(`The partition ${demoPartition} was removed while it was being filled.`);
    while (mark.filled < mark.patients) {
      const upTo = Math.min(mark.filled + BATCH, mark.patients);
      const people = mark.filled === 0 ? [...staff(model, mark), ...usersRecords()].map(printed) : [];
      const records = [...people, ...generate({ ...mark, patients: upTo, skip: mark.filled })];
      const changes = records.filter(({ type }) => model.types.has(type)).map(put);
      await partition.write(changes, { unit: 'each' }); // the mark follows them, and repeating them is harmless
      mark = { ...mark, filled: upTo };
      await store.documents('demo').put('records', mark);
      filled(mark.filled, mark.patients);
    }
  }
  const file = fileOf(storeUrl);
  if (file !== undefined) rmSync(noteOf(file), { force: true });
}

/** The resources of users that are not among the generated records. */
const usersRecords = (): readonly Resource[] => demoUsers.flatMap(({ resource }) => resource ?? []);

/** The practitioners and locations, of those types that can be searched. */
const staff = ({ types }: Model, mark: DemoMark): readonly Resource[] =>
  workplaces(mark)
    .filter(({ resourceType }) => types.get(resourceType)?.interactions.has('search-type') === true)
    .filter(({ resourceType, id }) => !usersRecords().some(one => one.resourceType === resourceType && one.id === id));

/**
 * A day that has ended in every time zone, so that its measurements are in the past; there are no visits on weekends.
 */
function lastWorkday(now: number): number {
  let day = Math.floor(now / 86_400_000) - 2;
  while (!isWeekday(day)) day--;
  return day;
}

function put({ type, id, text }: Generated): Change {
  return { kind: 'put', type, id, text: splitForStamp(text, id), parsed: parseJson(text) };
}

function fileOf(storeUrl: string): string | undefined {
  const url = parseStoreUrl(storeUrl);
  return url?.kind === 'sqlite' ? url.file : undefined;
}

function noteOf(file: string): string {
  return `${file}.demo`;
}

/**
 * The practitioners and locations of the visits of so many people, as records: interfaces that only refer to them need
 * none. The same options give identical records.
 */
function workplaces({ patients, seed }: { readonly patients: number; readonly seed: number }): Resource[] {
  const { practitioners, locations } = workplacesOf(patients);
  return [
    ...practitioners.map(id => practitioner(id, seed)),
    ...locations.map((id, index) => location(id, index, seed)),
  ];
}

function practitioner(id: string, seed: number): Resource {
  const random = createRandom(seed, id);
  const gender = random.chance(0.5) ? 'female' : 'male';
  const name = {
    use: 'official',
    family: random.pick(familyNames),
    given: [random.pick(givenNames[gender])],
    prefix: ['Dr.'],
  };
  const qualification = [{ code: { text: 'Family physician' } }];
  return { resourceType: 'Practitioner', id, active: true, name: [name], gender, qualification };
}

function location(id: string, index: number, seed: number): Resource {
  const random = createRandom(seed, id);
  const { city } = random.pick(cities);
  const line = [`${random.integer(10, 900)} ${random.pick(streets)}`];
  return {
    resourceType: 'Location',
    id,
    status: 'active',
    name: `Clinic ${index + 1}`,
    mode: 'instance',
    address: { use: 'work', line, city, state: 'ON', country: 'CA' },
  };
}

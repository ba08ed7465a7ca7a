import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../fhir/json.ts';
import { splitForStamp } from '../fhir/resource-text.ts';
import type { Model } from '../model/model.ts';
import type { Change } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { ownerOnly } from '../store/file-mode.ts';
import { requireNothingLeft } from '../store/sqlite/left-behind.ts';
import { refuseInterrupted } from '../store/sqlite/restoring.ts';
import { parseStoreUrl } from '../store/url.ts';
import { isWeekday, printDate } from './calendar.ts';
import { demoUsers } from './clients.ts';
import { generate, printed } from './generate.ts';
import type { Generated, GenerateOptions } from './generate.ts';

export const demoPartition = 'demo';
const zone = 'America/Toronto';
const PATIENTS = 120;
/** Not the default of `generate`, so that what that makes can be loaded beside it. */
const SEED = 905;
/** Patients that are written, and marked as written, at a time. */
const BATCH = 8;

/** What a store that was made for the demonstration says of itself: which records belong in it, and how many are there. */
export interface DemoMark extends Required<Omit<GenerateOptions, 'skip'>> {
  /** Patients that are in the store with all their records. */
  readonly filled: number;
}

/**
 * Whether a store may still have to be filled: its file is not there, or a note beside it says that a filling was begun. Makes
 * the note, so that the store of a start that is stopped early is not taken for somebody's own. What is no file fillDemo asks.
 * Throws `StoreRefused` where the file may come back.
 */
export function beginDemo(storeUrl: string): boolean {
  const file = fileOf(storeUrl);
  if (file === undefined) return true;
  if (existsSync(noteOf(file))) return true;
  if (existsSync(file)) return false;
  refuseInterrupted(file);
  requireNothingLeft(file);
  mkdirSync(dirname(file), { recursive: true, mode: ownerOnly.folder });
  writeFileSync(noteOf(file), 'The store beside this file is being filled by `serve --demo`.\n', {
    mode: ownerOnly.file,
  });
  return true;
}

/** What the store says of itself; undefined where it was not made for the demonstration. */
export async function readDemoMark(store: Store): Promise<DemoMark | undefined> {
  return (await store.documents('demo').get('records')) as DemoMark | undefined; // only fillDemo writes it
}

/**
 * Fills a store for which beginDemo was true, or goes on where it was stopped, and takes the note away. A store without a
 * mark that has partitions is somebody's own: nothing is written then. `filled` is told how many patients are in.
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
      const people =
        mark.filled === 0
          ? demoUsers.flatMap(({ resource }) => (resource === undefined ? [] : [printed(resource)]))
          : [];
      const records = [...people, ...generate({ ...mark, patients: upTo, skip: mark.filled })];
      const changes = records.filter(({ type }) => model.types.has(type)).map(put);
      await partition.write(changes, { unit: 'each' }); // the mark comes after them, and to repeat them is harmless
      mark = { ...mark, filled: upTo };
      await store.documents('demo').put('records', mark);
      filled(mark.filled, mark.patients);
    }
  }
  const file = fileOf(storeUrl);
  if (file !== undefined) rmSync(noteOf(file), { force: true });
}

/** A day that is over in every time zone, so that what was measured on it lies in the past; nobody is seen on weekends. */
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

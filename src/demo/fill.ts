import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../fhir/json.ts';
import { splitForStamp } from '../fhir/resource-text.ts';
import type { Model } from '../model/model.ts';
import type { Change, Store } from '../store/store.ts';
import { generate } from './generate.ts';
import type { Generated, GenerateOptions } from './generate.ts';

export const demoPartition = 'demo';
const zone = 'America/Toronto';
const PATIENTS = 120;
const SEED = 1;
/** Patients that are written, and marked as written, in one commit. */
const BATCH = 8;

/** What a store that was made for the demonstration says of itself: which records belong in it, and how many are there. */
export interface DemoMark extends Required<Omit<GenerateOptions, 'skip'>> {
  /** Patients that are in the store with all their records. */
  readonly filled: number;
}

/**
 * Called before the store is opened. Where its file is not there yet, a note beside it says that it is made for the
 * demonstration, so that a start which is stopped before the store can say so itself is not taken for somebody's own store.
 */
export function announceDemo(storeUrl: string): void {
  const file = fileOf(storeUrl);
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(noteOf(file), 'The store beside this file is made by `serve --demo`.\n');
}

/**
 * Fills a store that was made for the demonstration, or goes on where it was stopped; `filled` is told how many of the
 * patients are in. Answers what the store holds, or undefined for a store that was not made for it: nothing is written then.
 */
export async function fillDemo(
  { store, model }: { readonly store: Store; readonly model: Model },
  storeUrl: string,
  now: () => number,
  filled: (patients: number, of: number) => void,
): Promise<DemoMark | undefined> {
  const documents = store.documents('demo');
  const note = noteOf(fileOf(storeUrl));
  // The day before, so that what was measured lies in the past in every time zone.
  const date = new Date(now() - 36 * 3_600_000).toISOString().slice(0, 10);
  let mark = (await documents.get('records')) as DemoMark | undefined; // only this file writes it
  if (mark === undefined) {
    if (!existsSync(note)) return undefined;
    mark = { patients: PATIENTS, seed: SEED, date, filled: 0 };
    await documents.put('records', mark);
  }
  rmSync(note, { force: true });
  if (mark.filled === mark.patients) return mark;

  await store.partitions.add(demoPartition, { zone });
  const partition = await store.partition(demoPartition);
  if (partition === undefined) throw new Error(`The partition ${demoPartition} was removed while it was being filled.`);
  while (mark.filled < mark.patients) {
    const upTo = Math.min(mark.filled + BATCH, mark.patients);
    const records = generate({ ...mark, patients: upTo, skip: mark.filled });
    await partition.write([...records].filter(({ type }) => model.types.has(type)).map(put));
    mark = { ...mark, filled: upTo };
    await documents.put('records', mark);
    filled(mark.filled, mark.patients);
  }
  return mark;
}

function put({ type, id, text }: Generated): Change {
  return { kind: 'put', type, id, text: splitForStamp(text, id), parsed: parseJson(text) };
}

function fileOf(storeUrl: string): string {
  return storeUrl.replace(/^sqlite:/, '');
}

function noteOf(file: string): string {
  return `${file}.demo`;
}

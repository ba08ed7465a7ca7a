import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Concept } from '../code-system.ts';
import {
  codesInPart,
  conceptsInPart,
  headCollection,
  headKey,
  headsOf,
  integersInPart,
  isAbstractFlag,
  isInactiveFlag,
  partCollection,
  partKey,
  propertyTerm,
  termsInPart,
  wordsOf,
  wordTerm,
} from './layout.ts';
import type { ArrayPart, DocumentPlace, Head, StoredConcept, StoredTerm } from './layout.ts';

/** A concept of a system that is loaded. */
export interface LoadedConcept extends Omit<Concept, 'extensions' | 'children' | 'within'> {
  /** Where it is, for messages: `line 12`. */
  readonly at: string;
}

/** A problem of the file: a whole sentence. */
export class WrongConcepts extends Error {}

/** Most writes at a time, which the store commits together. */
const atOnce = 16;

/** A system as it is loaded. */
export interface NewSystem {
  readonly url: string;
  readonly version: string | undefined;
  /** The CodeSystem but for its count. */
  readonly resource: JsonObject;
}

/**
 * Writes a code system with its concepts into the documents of a partition: nothing of it is seen before all of it is
 * written, and a former load of the version is replaced then. `progress` gets the number of concepts. Throws
 * WrongConcepts for a code that is given twice, a parent that is no code, and parents in a circle; then, and if it is
 * interrupted, nothing has changed.
 */
export async function writeSystem(
  place: DocumentPlace,
  partition: string,
  system: NewSystem,
  concepts: AsyncIterable<LoadedConcept>,
  progress: (concepts: number) => void,
): Promise<Head> {
  const generation = randomUUID();
  const parts = createPartWriter(place, partition, generation);
  const key = headKey(partition, system.url, system.version);
  const heads = place.documents(headCollection);
  try {
    const read = await readConcepts(concepts, parts, progress);
    const head = await writeRest(system, generation, read, parts);
    const former = (await heads.get(key)) as Head | undefined; // only this function writes it
    await heads.put(key, head);
    if (former !== undefined) await removeParts(place, partition, former.generation);
    return head;
  } catch (error) {
    await parts.end().catch(() => undefined);
    await removeParts(place, partition, generation);
    throw error;
  }
}

/** Removes a version of a system; false if it is not there. */
export async function removeSystem(
  place: DocumentPlace,
  partition: string,
  url: string,
  version: string | undefined,
): Promise<boolean> {
  const key = headKey(partition, url, version);
  const heads = place.documents(headCollection);
  const head = (await heads.get(key)) as Head | undefined; // only writeSystem writes it
  if (head === undefined) return false;
  await heads.delete(key);
  await removeParts(place, partition, head.generation);
  return true;
}

/** Removes the documents of a generation, or of all of a partition, also of loads that were interrupted. */
export async function removeParts(place: DocumentPlace, partition: string, generation?: string): Promise<void> {
  const documents = place.documents(partCollection);
  const prefix = generation === undefined ? `${partition}/` : `${partition}/${generation}/`;
  let batch: Promise<void>[] = [];
  for await (const { key } of documents.list(prefix)) {
    if (!key.startsWith(prefix)) break;
    batch.push(documents.delete(key));
    if (batch.length < atOnce) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}

interface PartWriter {
  put(kind: string, at: number, value: unknown): Promise<void>;
  end(): Promise<void>;
}

/** Writes several documents at a time. */
function createPartWriter(place: DocumentPlace, partition: string, generation: string): PartWriter {
  const documents = place.documents(partCollection);
  const running = new Set<Promise<unknown>>();
  return {
    async put(kind, at, value) {
      const writing = documents
        .put(partKey(partition, generation, kind, at), value)
        .finally(() => running.delete(writing));
      running.add(writing);
      if (running.size >= atOnce) await Promise.race(running);
    },
    async end() {
      await Promise.all(running);
    },
  };
}

interface ReadConcepts {
  readonly codes: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
  readonly parents: readonly (readonly string[])[];
  readonly flags: readonly number[];
  readonly terms: ReadonlyMap<string, number[]>;
  readonly places: readonly string[];
}

/** Reads the concepts, and writes what is not needed later. */
async function readConcepts(
  concepts: AsyncIterable<LoadedConcept>,
  parts: PartWriter,
  progress: (concepts: number) => void,
): Promise<ReadConcepts> {
  const codes: string[] = [];
  const positions = new Map<string, number>();
  const parents: (readonly string[])[] = [];
  const flags: number[] = [];
  const places: string[] = [];
  const terms = new Map<string, number[]>();
  let page: StoredConcept[] = [];
  const flush = async (): Promise<void> => {
    await parts.put('concepts', Math.floor((codes.length - 1) / conceptsInPart), page);
    page = [];
    progress(codes.length);
  };
  for await (const one of concepts) {
    const before = positions.get(one.code);
    if (before !== undefined)
      throw new WrongConcepts(`The code \`${one.code}\` of ${one.at} is that of ${places[before] ?? ''} too.`);
    const position = codes.length;
    positions.set(one.code, position);
    codes.push(one.code);
    places.push(one.at);
    parents.push(one.parents);
    flags.push((one.abstract ? isAbstractFlag : 0) + (one.inactive ? isInactiveFlag : 0));
    for (const term of termsOf(one)) {
      const having = terms.get(term);
      if (having === undefined) terms.set(term, [position]);
      else having.push(position);
    }
    page.push([one.display ?? null, one.definition ?? null, one.designations, one.properties]);
    if (page.length === conceptsInPart) await flush();
  }
  if (page.length > 0) await flush();
  return { codes, positions, parents, flags, terms, places };
}

function termsOf({ code, display, designations, properties }: LoadedConcept): ReadonlySet<string> {
  const texts = [code, ...(display === undefined ? [] : [display]), ...designations.map(({ value }) => String(value))];
  const values = properties.map(property => {
    const [, value] = Object.entries(property).find(([name]) => name.startsWith('value')) ?? [];
    return propertyTerm(String(property['code']), typeof value === 'string' ? value : JSON.stringify(value));
  });
  return new Set([...texts.flatMap(wordsOf).map(wordTerm), ...values]);
}

async function writeRest(system: NewSystem, generation: string, read: ReadConcepts, parts: PartWriter): Promise<Head> {
  const { codes, flags } = read;
  const { starts, parents } = resolveParents(read);
  const order = Array.from(codes.keys()).sort((a, b) => compareCodes(codes[a] ?? '', codes[b] ?? ''));
  const arrays: Readonly<Record<ArrayPart, readonly number[]>> = { order, starts, parents, flags };
  const counts: Partial<Record<ArrayPart | 'codes', number>> = {};
  for (const [kind, all] of Object.entries(arrays) as [ArrayPart, readonly number[]][]) {
    counts[kind] = Math.ceil(all.length / integersInPart);
    for (let at = 0; at < all.length; at += integersInPart)
      await parts.put(kind, at / integersInPart, encode(all.slice(at, at + integersInPart)));
  }
  counts.codes = Math.ceil(codes.length / codesInPart);
  for (let at = 0; at < codes.length; at += codesInPart)
    await parts.put('codes', at / codesInPart, codes.slice(at, at + codesInPart));
  const terms = await writeTerms(read.terms, parts);
  await parts.end();
  return {
    generation,
    resource: { ...system.resource, count: codes.length },
    url: system.url,
    version: system.version,
    count: codes.length,
    parts: { order: 0, starts: 0, parents: 0, flags: 0, codes: 0, ...counts },
    terms,
  };
}

/** The order of codes: that of their characters. */
export const compareCodes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Integers as a text: four bytes each, in base64. */
const encode = (integers: readonly number[]): string =>
  Buffer.from(Int32Array.from(integers).buffer).toString('base64');

/** The parents as positions. Throws WrongConcepts. */
function resolveParents({ codes, positions, parents, places }: ReadConcepts): {
  readonly starts: readonly number[];
  readonly parents: readonly number[];
} {
  const starts = [0];
  const resolved: number[] = [];
  for (const [position, own] of parents.entries()) {
    for (const code of own) {
      const parent = positions.get(code);
      if (parent === undefined)
        throw new WrongConcepts(`The parent \`${code}\` of ${places[position] ?? ''} is not a code of the file.`);
      resolved.push(parent);
    }
    starts.push(resolved.length);
  }
  const circle = findCircle(starts, resolved);
  if (circle === undefined) return { starts, parents: resolved };
  throw new WrongConcepts(`The code \`${codes[circle] ?? ''}\` is above itself: its parents lead back to it.`);
}

/** A position that is its own ancestor; undefined without one. */
function findCircle(starts: readonly number[], parents: readonly number[]): number | undefined {
  const state = new Uint8Array(starts.length); // 1: being visited, 2: done
  for (let first = 0; first < starts.length - 1; first += 1) {
    const open = [first];
    while (open.length > 0) {
      const at = open.at(-1) ?? 0;
      if (state[at] === 0) {
        state[at] = 1;
        for (let one = starts[at] ?? 0; one < (starts[at + 1] ?? 0); one += 1) {
          const parent = parents[one] ?? 0;
          if (state[parent] === 1) return parent;
          if (state[parent] === 0) open.push(parent);
        }
      } else {
        state[at] = 2;
        open.pop();
      }
    }
  }
  return undefined;
}

/** Writes the terms in their order; returns the first of each document. */
async function writeTerms(terms: ReadonlyMap<string, number[]>, parts: PartWriter): Promise<readonly string[]> {
  const firsts: string[] = [];
  let page: StoredTerm[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    await parts.put('terms', firsts.length, page);
    firsts.push(page[0]?.[0] ?? '');
    [page, size] = [[], 0];
  };
  for (const term of [...terms.keys()].sort(compareCodes)) {
    const positions = terms.get(term) ?? [];
    page.push([term, positions]);
    size += term.length + positions.length * 7;
    if (size > termsInPart) await flush();
  }
  if (page.length > 0) await flush();
  return firsts;
}

/** Removes all systems of a partition. */
export async function removeSystems(place: DocumentPlace, partition: string): Promise<void> {
  const heads = place.documents(headCollection);
  for (const { url, version } of await headsOf(place, partition)) await heads.delete(headKey(partition, url, version));
  await removeParts(place, partition);
}

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../fhir/json-object.ts';

/**
 * A code system on disk consists of documents of the store. Those of one load have a generation of their own, and are
 * never changed; the head, which is written last, names the generation that counts. So a load is seen whole or not, and
 * what was read of a generation stays valid.
 */
export interface DocumentPlace {
  documents(collection: string): {
    get(key: string): Promise<unknown>;
    put(key: string, value: unknown): Promise<unknown>;
    delete(key: string): Promise<void>;
    list(after?: string): AsyncIterable<{ readonly key: string; readonly value: unknown }>;
  };
}

export const [headCollection, partCollection] = ['code-systems', 'code-system-parts'];

/** What is read of a system at each call. */
export interface Head {
  readonly generation: string;
  /** The CodeSystem, with its count and without its concepts. */
  readonly resource: JsonObject;
  readonly url: string;
  readonly version: string | undefined;
  readonly count: number;
  /** The number of documents of each kind. */
  readonly parts: Readonly<Record<ArrayPart | 'codes', number>>;
  /** The first term of each document of terms. */
  readonly terms: readonly string[];
}

/** Arrays of integers: positions in the order of codes; for each concept where its parents begin, and these; flags. */
export type ArrayPart = 'order' | 'starts' | 'parents' | 'flags';

/** The flags of a concept. */
export const [isAbstractFlag, isInactiveFlag] = [1, 2];

/** Concepts of one document, codes of one, and integers of one. */
export const [conceptsInPart, codesInPart, integersInPart] = [128, 10_000, 100_000];

/** Most characters of the terms of one document. */
export const termsInPart = 60_000;

/** One concept as it is stored: display, definition, designations and properties. */
export type StoredConcept = readonly [
  display: string | null,
  definition: string | null,
  designations: readonly JsonObject[],
  properties: readonly JsonObject[],
];

/** A word (`w`), or the value of a property (`p`), with the positions of the concepts that have it. */
export type StoredTerm = readonly [term: string, positions: readonly number[]];

export const wordTerm = (word: string): string => `w${word}`;
export const propertyTerm = (property: string, value: string): string => `p${property}\u0001${value}`;

export const headKey = (partition: string, url: string, version: string | undefined): string =>
  `${partition}/${createHash('sha256')
    .update(JSON.stringify([url, version]))
    .digest('base64url')}`;

export const partKey = (partition: string, generation: string, kind: string, at: number): string =>
  `${partition}/${generation}/${kind}/${String(at).padStart(6, '0')}`;

/** The words of a text, in lower case. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** The heads of a partition. */
export async function headsOf(place: DocumentPlace, partition: string): Promise<readonly Head[]> {
  const heads: Head[] = [];
  for await (const { key, value } of place.documents(headCollection).list(`${partition}/`)) {
    if (!key.startsWith(`${partition}/`)) break;
    heads.push(value as Head); // only writeSystem writes it
  }
  return heads;
}

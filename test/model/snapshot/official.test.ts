// https://hl7.org/fhir/R4/profiling.html#snapshot, held against what HL7 published
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, objectsOf } from '../../../src/fhir/json-object.ts';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { reduce } from '../../../src/definitions/reduce.ts';
import { print } from '../../../src/definitions/digests.ts';
import { generateSnapshot } from '../../../src/model/snapshot/generate.ts';
import { createSnapshots } from '../../../src/model/snapshot/snapshots.ts';
import { knownDifferences } from './known-differences.ts';

const source = join(import.meta.dirname, '../../../node_modules/hl7.fhir.r4.examples');
const here = existsSync(source);

const structures: readonly JsonObject[] = !here
  ? []
  : readdirSync(source)
      .filter(name => name.startsWith('StructureDefinition-'))
      .map(name => asObject(JSON.parse(readFileSync(join(source, name), 'utf8'))))
      .filter(
        ({ snapshot, differential, kind }) =>
          snapshot !== undefined && differential !== undefined && kind !== 'logical',
      );

/** An element as the engine uses it: without prose, and without what says nothing. */
function essence(elements: unknown): readonly JsonObject[] {
  const reduced = objectsOf(
    asObject(reduce({ resourceType: 'StructureDefinition', snapshot: { element: elements } })['snapshot'])['element'],
  );
  const sliced = new Set(reduced.filter(({ sliceName }) => sliceName !== undefined).map(({ path }) => path));
  return reduced.map(element => {
    const { slicing, constraint, ...rest } = element;
    // All extensions may be sliced by url; it says something where there are slices.
    const counts = !String(element['path']).endsWith('xtension') || sliced.has(element['path']);
    return {
      ...rest,
      ...(slicing === undefined || !counts
        ? {}
        : { slicing: { ...asObject(slicing), ordered: asObject(slicing)['ordered'] === true } }),
      ...(constraint === undefined
        ? {}
        : { constraint: objectsOf(constraint).toSorted((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1)) }),
    };
  });
}

/** Ids of elements that only one of the two has, and `id#keyword` where they say different things. */
function differences(published: readonly JsonObject[], generated: readonly JsonObject[]): readonly string[] {
  const byId = new Map(generated.map(element => [String(element['id']), element]));
  const ids = new Set([...published, ...generated].map(({ id }) => String(id)));
  const found = new Map(published.map(element => [String(element['id']), element]));
  const all = [...ids].flatMap(id => {
    const [theirs, ours] = [found.get(id), byId.get(id)];
    if (theirs === undefined || ours === undefined) return [id];
    const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return [...keys].filter(key => print(theirs[key]) !== print(ours[key])).map(key => `${id}#${key}`);
  });
  const order = (elements: readonly JsonObject[]): string => elements.map(({ id }) => id).join();
  return all.length > 0 || order(published) === order(generated) ? all : ['the order'];
}

describe.runIf(here)('a snapshot that is made of a differential', () => {
  const byUrl = new Map(structures.map(structure => [structure['url'], structure]));
  const find = createSnapshots(canonical => byUrl.get(canonical.replace(/\|.*/, '')));
  const found = structures.map(structure => {
    const { elements, problems } = generateSnapshot(structure, find);
    const published = essence(asObject(structure['snapshot'])['element']);
    return { id: String(structure['id']), problems, differ: differences(published, essence(elements)) };
  });

  it('is the published one, element by element, for every type, profile and extension of R4', () => {
    expect(structures.length).toBe(648);
    const known = (id: string) => knownDifferences.find(({ ids }) => ids.includes(id));
    const unexpected = found.map(({ id, differ }) => [id, differ.filter(one => known(id)?.differ.test(one) !== true)]);
    expect(unexpected.filter(([, differ]) => differ?.length !== 0)).toEqual([]);
  });

  it('differs from it only where the list of known differences says so', () => {
    const listed = knownDifferences.flatMap(({ ids }) => ids).toSorted();
    expect(found.flatMap(({ id, differ }) => (differ.length === 0 ? [] : [id])).toSorted()).toEqual(listed);
  });

  const structureOf = (id: string): JsonObject => asObject(structures.find(one => one['id'] === id));
  const elementsOf = (structure: JsonObject, part: 'snapshot' | 'differential'): readonly JsonObject[] =>
    objectsOf(asObject(structure[part])['element']);
  const generated = (id: string): readonly JsonObject[] => generateSnapshot(structureOf(id), find).elements;

  it.each([
    ['bp', /(?<=BP\.value\[x\]):valueQuantity/],
    ['catalog', /:IssueDate/],
    ['familymemberhistory-genetic', /(?<!extension):\w+/],
  ])('says the same as the published one of %s but for the names of slices', (id, slice) => {
    const folded = (elements: readonly JsonObject[]): readonly unknown[] => {
      const byId = new Map<string, unknown>();
      for (const { id: full, sliceName: _, slicing: _slicing, ...rest } of essence(elements)) {
        const key = String(full).replace(slice, '');
        expect([key, byId.get(key) ?? rest]).toEqual([key, rest]); // a choice and its only slice say the same
        byId.set(key, rest);
      }
      return [...byId];
    };
    expect(folded(generated(id))).toEqual(folded(elementsOf(structureOf(id), 'snapshot')));
  });

  it.each(knownDifferences[0]?.ids ?? [])('keeps what the differential and the base say of the value of %s', id => {
    const value = (elements: readonly JsonObject[]) => elements.find(({ path }) => /^\w+\.value$/.test(String(path)));
    const [ours, said] = [value(generated(id)), value(elementsOf(structureOf(id), 'differential'))];
    const base = value(find(String(structureOf(id)['baseDefinition']))?.elements ?? []);
    expect(ours?.['type']).toEqual(said?.['type']);
    for (const limit of ['maxLength', 'minValueInteger', 'maxValueInteger'])
      expect([limit, ours?.[limit]]).toEqual([limit, said?.[limit] ?? base?.[limit]]);
  });

  it('keeps the binding that the differential gives to all agents in their slice', () => {
    const type = (elements: readonly JsonObject[], id: string) => elements.find(one => one['id'] === id)?.['binding'];
    const said = elementsOf(structureOf('provenance-relevant-history'), 'differential');
    expect(type(said, 'Provenance.agent:Author.type')).toBeUndefined();
    expect(type(generated('provenance-relevant-history'), 'Provenance.agent:Author.type')).toMatchObject(
      asObject(type(said, 'Provenance.agent.type')),
    );
  });

  it('follows each differential to its end', () => {
    expect(found.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  it('serves as the base of others as the published one does', () => {
    const without = new Map(
      structures.map(structure => [
        structure['url'],
        structure['baseDefinition'] === undefined ? structure : { ...structure, snapshot: undefined },
      ]),
    );
    const made = createSnapshots(canonical => without.get(canonical.replace(/\|.*/, '')));
    const faulty = new Set(knownDifferences.flatMap(({ ids }) => ids));
    const differ = structures.flatMap(({ id, url, snapshot }) => {
      const ours = made(String(url))?.elements ?? [];
      const theirs = asObject(snapshot)['element'];
      return faulty.has(String(id))
        ? []
        : differences(essence(theirs), essence(ours)).map(one => `${String(id)} ${one}`);
    });
    expect(differ).toEqual([]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireModel } from '../../src/engine/definitions/load-model.ts';
import type { Model } from '../../src/model/model.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'meaning-'));
  mkdirSync(join(folder, 'profiles'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const withFiles = async (...resources: readonly object[]): Promise<Model> => {
  for (const [at, resource] of resources.entries())
    writeFileSync(join(folder, 'profiles', `${at}.json`), JSON.stringify({ status: 'active', ...resource }));
  return (await requireModel({ definitions: resources.length === 0 ? [] : [folder] })).model;
};
const codes = (url: string, caseSensitive: boolean, version?: string) => ({
  resourceType: 'CodeSystem',
  url,
  version,
  caseSensitive,
  content: 'not-present',
});
const values = (url: string, version: string, system: string) => ({
  resourceType: 'ValueSet',
  url,
  version,
  compose: { include: [{ system }] },
});

/** The parameters of a type whose digest another model changes. */
const changed = (one: Model, other: Model, type: string): readonly string[] =>
  [...(one.types.get(type)?.indexed.values() ?? [])]
    .filter(({ code, digest }) => other.types.get(type)?.indexed.get(code)?.digest !== digest)
    .map(({ code }) => code)
    .toSorted();

it('a code system whose case counts changes the parameters that take codes of any system', async () => {
  const [plain, sensitive] = [await withFiles(), await withFiles(codes('urn:own', true))];
  expect(sensitive.caseSensitive('urn:own')).toBe(true);
  expect(changed(plain, sensitive, 'Observation')).toEqual(['category', 'code']);
  expect(changed(plain, sensitive, 'Patient')).toEqual([]);
});

it('one whose case does not count changes nothing, and neither does what R4 says itself', async () => {
  const plain = await withFiles();
  expect(changed(plain, await withFiles(codes('urn:own', false)), 'Observation')).toEqual([]);
  const same = codes('http://terminology.hl7.org/CodeSystem/observation-category', true);
  expect(changed(plain, await withFiles(same), 'Observation')).toEqual([]);
});

it.each(['4.0.1', '9.0.0'])(
  'one of R4 whose case does not count any more, in version %s, changes them',
  async version => {
    const url = 'http://terminology.hl7.org/CodeSystem/observation-category';
    const [plain, other] = [await withFiles(), await withFiles(codes(url, false, version))];
    expect([plain.caseSensitive(url), other.caseSensitive(url)]).toEqual([true, false]);
    expect(changed(plain, other, 'Observation')).toContain('category');
  },
);

it('a value set of another system changes the parameters of the elements bound to it, and no others', async () => {
  const url = 'http://hl7.org/fhir/ValueSet/administrative-gender';
  const [plain, other] = [await withFiles(), await withFiles(values(url, '4.0.1', 'urn:other'))];
  expect(other.valueSetSystem(`${url}|4.0.1`)).toBe('urn:other');
  expect(changed(plain, other, 'Patient')).toEqual(['gender']);
  expect(changed(plain, other, 'Encounter')).toEqual([]);
  expect(
    changed(plain, await withFiles(values(url, '4.0.1', 'http://hl7.org/fhir/administrative-gender')), 'Patient'),
  ).toEqual([]);
});

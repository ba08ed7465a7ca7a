// https://hl7.org/fhir/us/core/STU6.1/CapabilityStatement-us-core-server.html: a published guide, from its package to
// the statement of a server that implements it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { fhirPackage, folderWith, profile } from '../support/definition-files.ts';
import { serve } from '../support/serve.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
const part = join(import.meta.dirname, '../fixtures/us-core');
const linesOf = (type: string): readonly JsonObject[] =>
  readFileSync(join(part, `${type}.ndjson`), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
const [guide = {}] = linesOf('CapabilityStatement');

const usCore = (): Buffer => {
  const types = ['CapabilityStatement', 'SearchParameter', 'StructureDefinition', 'OperationDefinition'];
  const files = types.flatMap(linesOf).map(one => [`${String(one['resourceType'])}-${String(one['id'])}.json`, one]);
  return fhirPackage(JSON.parse(readFileSync(join(part, 'package.json'), 'utf8')), Object.fromEntries(files));
};

/** Stands in for the profile of another guide that the statement names. */
const sdcProfile = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire';
const sdc = (): Buffer =>
  fhirPackage(
    { name: 'hl7.fhir.uv.sdc', version: '3.0.0', fhirVersions: ['4.0.1'] },
    { 'StructureDefinition-q.json': profile('sdc-questionnaire', 'Questionnaire', { url: sdcProfile }) },
  );

const isShall = (element: unknown): boolean =>
  objectsOf(asObject(element)['extension']).some(
    ({ url, valueCode }) => String(url).endsWith('capabilitystatement-expectation') && valueCode === 'SHALL',
  );

const combinationOf = (extension: JsonObject): string =>
  objectsOf(extension['extension'])
    .flatMap(({ url, valueString }) => (url === 'required' ? [String(valueString)] : []))
    .join(' and ');

const isCombination = ({ url }: JsonObject): boolean => String(url).endsWith('search-parameter-combination');

/** Every requirement of a statement, as a line; those with the expectation SHALL alone if `isRequired` says so. */
function requirements(statement: JsonObject, isRequired: (element: unknown) => boolean): readonly string[] {
  const named = (element: JsonObject, list: string, of: string): readonly string[] =>
    objectsOf(element[list])
      .filter(isRequired)
      .map(one => `${of} ${list} ${String(one['name'] ?? one['code'])}`);
  const valued = (element: JsonObject, list: string, of: string): readonly string[] =>
    ((element[list] ?? []) as readonly unknown[])
      .filter((_one, index) => isRequired(((element[`_${list}`] ?? []) as readonly unknown[])[index]))
      .map(one => `${of} ${list} ${String(one)}`);
  const [rest = {}] = objectsOf(statement['rest']);
  return [
    ...['instantiates', 'format', 'patchFormat', 'implementationGuide'].flatMap(list => valued(statement, list, '')),
    ...['interaction', 'operation', 'searchParam'].flatMap(list => named(rest, list, 'system')),
    ...objectsOf(rest['resource']).flatMap(type => {
      const name = String(type['type']);
      return [
        ...(isRequired(type) ? [name] : []),
        ...['interaction', 'searchParam', 'operation'].flatMap(list => named(type, list, name)),
        ...['supportedProfile', 'searchInclude', 'searchRevInclude', 'referencePolicy'].flatMap(list =>
          valued(type, list, name),
        ),
        ...objectsOf(type['extension'])
          .filter(one => isCombination(one) && isRequired(one))
          .map(one => `${name} combination ${combinationOf(one)}`),
      ];
    }),
  ];
}

describe('US Core 6.1.0, by `definitions init`', () => {
  it('has every SHALL of its CapabilityStatement in /metadata', async () => {
    const folder = folderWith({ 'us-core.tgz': usCore(), 'sdc.tgz': sdc() });
    const packages = ['--definitions', join(folder, 'sdc.tgz')];
    const out = join(folder, 'out');
    const made = await run(['definitions', 'init', '--from', join(folder, 'us-core.tgz'), '--out', out, ...packages]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const server = await serve(
      [],
      ['--capability', out, '--definitions', join(folder, 'us-core.tgz'), '--definitions', join(folder, 'sdc.tgz')],
    );
    try {
      const { json } = await server.get('/metadata');
      const required = requirements(guide, isShall);
      const served = new Set(requirements(json, () => true));
      expect(required).toHaveLength(197);
      expect(required.filter(one => !served.has(one))).toEqual([]);
      expect(made.stdout).not.toContain('although the guide says SHALL');
      expect((await server.get('/DocumentReference/$docref?patient=p1')).json).toMatchObject({ type: 'searchset' });
    } finally {
      await server.close();
    }
  });

  it('says what it adds, and what the guide requires and a missing package prevents', async () => {
    const folder = folderWith({ 'us-core.tgz': usCore() });
    const from = join(folder, 'us-core.tgz');
    const { stdout } = await run(['definitions', 'init', '--from', from, '--out', join(folder, 'out')]);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'Added to Provenance: the parameter `target`, which `Provenance:target` of the guide needs.',
        'Added to DocumentReference: the operation `docref`, as ' +
          'https://clinical-records.example/fhir/OperationDefinition/us-core-docref restricts it.',
        'Added to DocumentReference: the parameter `_profile`, which the operation `docref` needs.',
        'Added to every type: scopes, `versioning`, `conditionalRead` where it is read, and the parameters `_id` and ' +
          '`_lastUpdated` where it is searched.',
        expect.stringMatching(
          /^Omitted from Questionnaire, although the guide says SHALL: the profile `.*sdc-questionnaire`\. No Struct/,
        ),
        expect.stringMatching(/^Omitted from .*: `update`, `patch`, `delete`\. The guide says MAY; declare it/),
      ]),
    );
  });
});

// References to one version of a record: includes return it, and chains warn that they compare the current one.
// https://hl7.org/fhir/R4/references.html#literal, https://hl7.org/fhir/R4/search.html#include
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { put, serve, type Served } from '../support/serve.ts';
import { r4Of } from '../support/r4-of.ts';
import { testTokens } from '../support/tokens.ts';

const patient = (id: string, family: string): object => ({ resourceType: 'Patient', id, name: [{ family }] });
const observation = (id: string, reference: string): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: id },
  subject: { reference },
});

const tokens = testTokens();
let server: Served;
let guarded: Served;
beforeAll(async () => {
  const flags = ['--capability', r4Of(['Patient', 'Observation', 'Organization', 'Practitioner'])];
  server = await serve([], flags);
  guarded = await serve([], flags, undefined, { verify: tokens.verify });
  for (const one of [server, guarded]) {
    await put(one.partition, [patient('v', 'Before'), patient('w', 'Only'), patient('gone', 'Lost')]);
    await put(one.partition, [patient('v', 'After')]);
    await one.partition.write([{ kind: 'remove', type: 'Patient', id: 'gone' }]);
    await put(one.partition, [
      observation('first', 'Patient/v/_history/1'),
      observation('own', `${one.base}/Patient/v/_history/1`),
      observation('second', 'Patient/v/_history/2'),
      observation('third', 'Patient/v/_history/3'),
      observation('plain', 'Patient/v'),
      observation('w1', 'Patient/w/_history/1'),
      observation('lost', 'Patient/gone/_history/1'),
      observation('nobody', 'Patient/nobody/_history/1'),
      observation('away', 'https://elsewhere.example/fhir/Patient/v/_history/1'),
    ]);
  }
}, 120_000);
afterAll(async () => {
  await server.close();
  await guarded.close();
});

interface Entry {
  readonly search: { readonly mode: string };
  readonly resource: {
    readonly id: string;
    readonly meta: { readonly versionId: string };
    readonly name?: readonly { readonly family: string }[];
    readonly issue?: readonly { readonly severity: string; readonly diagnostics: string }[];
  };
}
const included = ({ entry = [] }: { entry?: readonly Entry[] }): readonly string[] =>
  entry
    .filter(({ search }) => search.mode === 'include')
    .map(({ resource: { id, meta, name } }) => `${id} ${meta.versionId} ${name?.[0]?.family}`);
const warnings = ({ entry = [] }: { entry?: readonly Entry[] }): readonly string[] =>
  entry
    .filter(({ search }) => search.mode === 'outcome')
    .flatMap(({ resource }) => resource.issue ?? [])
    .map(({ diagnostics }) => diagnostics);

describe('an include of a version', () => {
  it.each([
    ['an earlier one', 'first', ['v 1 Before']],
    ['one below the URL of this server', 'own', ['v 1 Before']],
    ['the current one', 'second', ['v 2 After']],
    ['the only one', 'w1', ['w 1 Only']],
    ['each once', 'first,own', ['v 1 Before']],
    ['beside the current one', 'first,plain,second', ['v 2 After', 'v 1 Before']],
    ['of no record', 'nobody', []],
    ['of another server', 'away', []],
  ])('returns %s', async (_, ids, expected) => {
    const { status, json } = await server.get(`/Observation?_id=${ids}&_include=Observation:subject`);
    expect([status, included(json), warnings(json)]).toEqual([200, expected, []]);
  });

  it('that is not there returns the current one, and says so', async () => {
    const { json } = await server.get('/Observation?_id=third&_include=Observation:patient');
    expect([included(json), warnings(json)]).toEqual([
      ['v 2 After'],
      [
        '`_include=Observation:patient` finds no `Patient/v/_history/3`: ' +
          'the current version is included instead, if there is one.',
      ],
    ]);
  });

  it('of a deleted record returns the version', async () => {
    const { json } = await server.get('/Observation?_id=lost&_include=Observation:subject');
    expect(included(json)).toEqual(['gone 1 Lost']);
  });

  it('is as open as the version and the current one', async () => {
    const path = '/Observation?_id=first,lost&_sort=-_id&_include=Observation:subject';
    const found = async (scope: string): Promise<readonly string[]> =>
      included((await guarded.get(path, tokens.bearer({ scope: `system/Observation.rs ${scope}` }))).json);
    expect(await found('system/Patient.rs')).toEqual(['gone 1 Lost', 'v 1 Before']);
    // The version is not within this scope, and the current one is.
    expect(await found('system/Patient.rs?family=After')).toEqual(['v 2 After']);
    expect(await found('system/Patient.rs?family=Before')).toEqual([]);
    expect(await found('')).toEqual([]);
  });
});

describe('a chain over a version', () => {
  const text =
    'Chains by `subject` compare the current version of what a match refers to, although the match names another: ' +
    '`Patient/v/_history/1`, `Patient/v/_history/3`.';
  it('compares the current one, and warns', async () => {
    const { json } = await server.get('/Observation?subject:Patient.family=after&_sort=_id');
    expect(warnings(json)).toEqual([text]);
    expect(warnings((await server.get('/Observation?subject:Patient.family=after&_id=second,plain')).json)).toEqual([]);
    expect(warnings((await server.get('/Observation?subject:Patient.family=only')).json)).toEqual([]);
    expect(warnings((await server.get('/Observation?subject=Patient/v')).json)).toEqual([]);
  });
});

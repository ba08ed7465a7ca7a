// https://hl7.org/fhir/R4/validation.html: what creates are held to, and what the `validation-policy` of the interface
// makes of it.
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith, ours, profile, statement } from '../support/definition-files.ts';
import { issuesOf, post } from '../support/media.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

let server: Served | undefined;
afterEach(() => server?.close());

const url = (name: string): string => `https://example.org/StructureDefinition/${name}`;
const codePattern = {
  id: 'Basic.code',
  path: 'Basic.code',
  patternCodeableConcept: { coding: [{ system: 'urn:s', code: 'a' }] },
};
const author = [
  { id: 'Basic', path: 'Basic' },
  { id: 'Basic.author', path: 'Basic.author', min: 1 },
];
const invariant = {
  id: 'Basic',
  path: 'Basic',
  constraint: [{ key: 'b-1', severity: 'error', human: 'It has an identifier.', expression: 'identifier.exists()' }],
};
const differential = (...element: object[]) => ({ differential: { element } });

/** Serves Basic with these profiles, under these policies of the type and of the interface. */
async function serveBasic(policies: { type?: string; rest?: string } = {}): Promise<Served> {
  const policy = (value: string | undefined) =>
    value === undefined ? [] : [ours('validation-policy', { valueCode: value })];
  const resource = {
    type: 'Basic',
    profile: url('own'),
    supportedProfile: [url('authored'), url('unfinished')],
    interaction: [{ code: 'create' }, { code: 'read' }],
    extension: [ours('smart-scope', { valueString: 'system/Basic.cr' }), ...policy(policies.type)],
  };
  const incomplete = { extension: [ours('incomplete', { valueString: 'its text is not public.' })] };
  const folder = folderWith({
    'capability/ours.json': statement(
      [resource],
      policies.rest === undefined ? {} : { extension: policy(policies.rest) },
    ),
    'beside/profiles/own.json': profile('own', 'Basic', differential(invariant, codePattern)),
    'beside/profiles/authored.json': profile('authored', 'Basic', differential(...author)),
    'beside/profiles/unfinished.json': profile('unfinished', 'Basic', { ...incomplete, ...differential(...author) }),
  });
  server = await serve([], ['--capability', `${folder}/capability`, '--definitions', `${folder}/beside`]);
  return server;
}

const good = {
  resourceType: 'Basic',
  identifier: [{ value: '1' }],
  code: { coding: [{ system: 'urn:s', code: 'a' }] },
};
const claiming = (...names: string[]) => ({ ...good, meta: { profile: names.map(url) } });
const { identifier: _, ...unidentified } = good;
const badGender = {
  ...good,
  contained: [{ resourceType: 'Patient', id: 'p', gender: 'x' }],
  subject: { reference: '#p' },
};

/** Status and issues of a create, with the severity of each. */
const outcomeOf = (answer: Answer): readonly unknown[] => [
  answer.status,
  ...issuesOf(answer).flatMap((issue, index) => {
    const { severity, diagnostics } = answer.json.issue[index] as { severity: string; diagnostics: string };
    return severity === 'information' || diagnostics.includes('(dom-6)') ? [] : [`${severity} ${issue}`];
  }),
];

describe.each<[string, { type?: string; rest?: string }, readonly (readonly [string, object, readonly unknown[]])[]]>([
  [
    'without a policy',
    {},
    [
      ['what is good', good, [201]],
      ['a code out of its binding', badGender, [422, 'error code-invalid Basic.contained[0].gender']],
      ['an invariant of its profile', unidentified, [422, 'error invariant Basic']],
      ['a pattern of its profile', { ...good, code: { text: 'x' } }, [422, 'error value Basic.code']],
      ['a claimed profile', claiming('authored'), [422, 'error required Basic.author']],
      ['one that is incomplete', claiming('unfinished'), [201, 'warning required Basic.author']],
      ['both of them', claiming('unfinished', 'authored'), [422, 'error required Basic.author']],
      ['one that is unknown', claiming('unheard-of'), [201, 'warning informational Basic.meta.profile[0]']],
      [
        'a profile of another type',
        { ...good, meta: { profile: ['http://hl7.org/fhir/StructureDefinition/vitalsigns'] } },
        [422, 'error structure Basic.meta.profile[0]'],
      ],
      [
        'a wrong structure beside a broken rule',
        { ...claiming('authored'), autor: 1 },
        [400, 'error structure Basic.autor', 'error required Basic.author'],
      ],
    ],
  ],
  [
    'under `warn` on the type',
    { type: 'warn' },
    [
      ['a code out of its binding', badGender, [201, 'warning code-invalid Basic.contained[0].gender']],
      ['an invariant of its profile', unidentified, [201, 'warning invariant Basic']],
      ['a pattern of its profile', { ...good, code: { text: 'x' } }, [422, 'error value Basic.code']],
      ['a claimed profile', claiming('authored'), [201, 'warning required Basic.author']],
      ['a wrong structure', { ...good, autor: 1 }, [400, 'error structure Basic.autor']],
    ],
  ],
  [
    'under `off` on the whole interface',
    { rest: 'off' },
    [
      ['a code out of its binding', badGender, [201]],
      ['a claimed profile', claiming('authored', 'unheard-of'), [201]],
      ['a pattern of its profile', { ...good, code: { text: 'x' } }, [422, 'error value Basic.code']],
      ['a wrong structure', { ...good, autor: 1 }, [400, 'error structure Basic.autor']],
    ],
  ],
  [
    'under `enforce` on the type, whatever the interface says',
    { type: 'enforce', rest: 'off' },
    [
      ['a claimed profile', claiming('authored'), [422, 'error required Basic.author']],
      ['one that is incomplete', claiming('unfinished'), [201, 'warning required Basic.author']],
    ],
  ],
])('%s', (_name, policies, rows) => {
  it('a create is held to its rules', async () => {
    const { running } = await serveBasic(policies);
    expect(running.port).toBeGreaterThan(0);
    for (const [what, body, expected] of rows) {
      const answer = await post(server as Served, 'Basic', body, { Prefer: 'return=OperationOutcome' });
      expect([what, ...outcomeOf(answer)]).toEqual([what, ...expected]);
    }
  });
});

it('profiles that are claimed stay claimed, and none is added', async () => {
  const { base } = await serveBasic();
  for (const [body, profiles] of [
    [good, undefined],
    [claiming('unfinished', 'unheard-of'), [url('unfinished'), url('unheard-of')]],
  ] as const) {
    const created = await post(server as Served, 'Basic', body);
    expect([created.status, created.json.meta.profile]).toEqual([201, profiles]);
    const path = new URL(String(created.headers.location)).pathname.slice(new URL(base).pathname.length);
    const { json } = await (server as Served).get(path.replace(/\/_history.*/, ''));
    expect(json.meta.profile).toEqual(profiles);
  }
});

it('the statement says which profiles are incomplete, and why', async () => {
  await serveBasic();
  const { json } = await (server as Served).get('/metadata');
  expect(json.rest[0].resource[0].documentation).toBe(
    `The profile ${url('unfinished')} is not the published one: its text is not public.`,
  );
});

describe('a unit that UCUM does not have', () => {
  const height = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    valueQuantity: { value: 1, unit: 'mcg', system: 'http://unitsofmeasure.org', code: 'mcg' },
  };

  it('is a warning of a write, and an error of a validation that is not for a create', async () => {
    const r4 = (server = await serve([], ['--interface', 'r4']));
    const headers = { 'Content-Type': 'application/fhir+json', Prefer: 'return=OperationOutcome' };
    const found = async (path: string) => {
      const { status, json } = await r4.ask('POST', path, { headers, body: JSON.stringify(height) });
      const issues: readonly { severity: string; diagnostics: string }[] = json.issue;
      return [status, issues.filter(({ diagnostics }) => /mcg/.test(diagnostics)).map(({ severity }) => severity)];
    };
    expect(await found('/Observation')).toEqual([201, ['warning']]);
    expect(await found('/Observation/$validate')).toEqual([200, ['error']]);
    expect(await found('/Observation/$validate?mode=create')).toEqual([200, ['warning']]);
  });
});

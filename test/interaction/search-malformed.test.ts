// Malformed searches are refused with the name of the parameter, and never answered with more than was asked for.
// https://hl7.org/fhir/R4/search.html#errors
import * as fc from 'fast-check';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SearchParam, SearchParamType } from '../../src/model/model.ts';
import { observation, patient } from '../support/resources.ts';
import { seeded } from '../support/seeded.ts';
import { serve, type Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  const records = ['a', 'b', 'c'].flatMap(id => [
    patient(id),
    observation(`o${id}`),
    { resourceType: 'Organization', id, name: `Clinic ${id}`, active: true },
    { resourceType: 'Location', id, status: 'active', name: `Room ${id}`, managingOrganization: { reference: id } },
    { resourceType: 'Encounter', id, status: 'planned', class: { code: 'AMB' }, period: { start: '2024-05-01' } },
  ]);
  server = await serve(records, ['--capability', join(import.meta.dirname, '../fixtures/all-r4/capability')]);
}, 120_000);
afterAll(() => server.close());

/** Values that most parameters of a search type accept. */
const valid: Readonly<Partial<Record<SearchParamType, readonly string[]>>> = {
  string: ['a', 'Clinic'],
  token: ['active', '|active', 'http://loinc.org|8302-2'],
  reference: ['a'],
  date: ['2024', 'ge2024-05-01', 'ne2020'],
  number: ['1', 'lt1.50'],
  quantity: ['5.4|http://unitsofmeasure.org|g', 'gt5'],
  uri: ['http://example.org/a'],
};

/** What makes a value malformed, or odd. */
const spoil: readonly ((value: string) => string)[] = [
  value => `${value},`,
  value => `,${value}`,
  value => `${value}\\`,
  value => `\\x${value}`,
  value => `xx${value}`,
  value => `ge${value}`,
  value => `${value}|`,
  value => `${value}||${value}`,
  value => `${value}$${value}`,
  value => value.slice(0, -1),
  value => `${value}\0`,
  value => `${value}\ud800`,
  value => `Patient/${value}/_history/1`,
  value => `Nowhere/${value}`,
  value => value.slice(0, 50).repeat(20),
  () => '',
  () => ' ',
  () => '-',
  () => '2024-13-45',
  () => '1e400',
  value => `"${value}`,
  value => `${value}*`,
  value => `*${value}`,
  value => `${value} OR ${value}`,
  () => '("',
];
const endings = [
  ':missing',
  ':exact',
  ':not',
  ':text',
  ':in',
  ':above',
  ':below',
  ':of-type',
  ':identifier',
  ':Patient',
];
const chained = [':', ':a', ':a:b', '.', '.name', '.name:', ':Patient.', ':Patient.name', '.a.b.c.d.e.f.g.h.i.j'];
const special = [
  '_has',
  '_has:',
  '_has:Observation:patient:',
  '_has:Observation:code:code',
  '_filter',
  '_list',
  '_query',
];
const controls = ['_sort', '_count', '_include', '_revinclude', '_summary', '_elements', '_total', '_type', '_text'];

interface Written {
  readonly type: string;
  /** A valid pair beside the odd one; undefined for none. */
  readonly beside: readonly [string, string] | undefined;
  readonly odd: readonly [string, string];
}

function anySearch(): fc.Arbitrary<Written> {
  const types = [...server.running.engine.model.types.values()].filter(({ parameters }) => parameters.size > 2);
  const usual = types.filter(({ name }) => stored.has(name));
  return fc.oneof(fc.constantFrom(...types), fc.constantFrom(...usual)).chain(type => {
    const params = [...type.parameters.values()];
    const valuesOf = (param: SearchParam): fc.Arbitrary<string> => fc.constantFrom(...(valid[param.type] ?? ['a']));
    const pair = fc.constantFrom(...params).chain(param => valuesOf(param).map(value => [param.code, value] as const));
    const oddName = fc.oneof(
      fc.tuple(fc.constantFrom(...params), fc.constantFrom('', ...endings, ...chained)).map(([p, end]) => p.code + end),
      fc.constantFrom(...params).map(({ code }) => code.slice(0, -1)),
      fc.constantFrom(...special, ...controls),
      fc.tuple(fc.constantFrom(...controls), fc.constantFrom(':', ':iterate', ':a')).map(parts => parts.join('')),
    );
    const oddValue = fc
      .tuple(fc.constantFrom(...Object.values(valid).flat()), fc.array(fc.constantFrom(...spoil), { maxLength: 2 }))
      .map(([value, how]) => how.reduce((text, change) => change(text), value));
    return fc.record({
      type: fc.constant(type.name),
      beside: fc.option(pair, { nil: undefined }),
      odd: fc.tuple(oddName, oddValue),
    });
  });
}

const stored: ReadonlySet<string> = new Set(['Patient', 'Observation', 'Organization', 'Location', 'Encounter']);

const ask = (type: string, pairs: Written['odd'][], handling: string) =>
  server.get(`/${type}?${new URLSearchParams(pairs.map(pair => [...pair])).toString()}`, {
    Prefer: `handling=${handling}`,
  });

interface Entry {
  readonly search: { readonly mode: string };
  readonly resource: { readonly id: string };
}
const matchesIn = ({ entry = [] }: { entry?: readonly Entry[] }): readonly string[] =>
  entry.filter(({ search }) => search.mode === 'match').map(({ resource }) => resource.id);

/** What is wrong with the answer to a search; empty for nothing. */
async function faultsOf({ type, beside, odd }: Written, handling: string): Promise<readonly string[]> {
  const { status, json } = await ask(type, [...(beside === undefined ? [] : [beside]), odd], handling);
  const [name] = odd;
  const codeOf = ([written]: Written['odd']): string => written.split(/[:.]/)[0] ?? written;
  if (status !== 200) {
    const issue = json.issue?.[0];
    const isRefusal = status === 400 || (status === 403 && issue?.code === 'too-costly');
    const isNamed = [odd, beside ?? odd].some(pair => JSON.stringify(json.issue).includes(codeOf(pair)));
    return [...(isRefusal ? [] : [`it is ${status}`]), ...(isNamed ? [] : ['no parameter is named'])];
  }
  const self = new URL(json.link.find(({ relation }: { relation: string }) => relation === 'self').url);
  if (!self.searchParams.has(name)) {
    // Under lenient handling an unknown or empty parameter is left out, with a warning that names it.
    const outcome = JSON.stringify((json.entry ?? []).find(({ search }: Entry) => search.mode === 'outcome') ?? '');
    const isAllowed = handling === 'lenient' && outcome.includes(codeOf(odd));
    return isAllowed ? [] : ['a parameter was ignored'];
  }
  if (beside === undefined || controls.some(control => name.startsWith(control))) return [];
  const without = new Set(matchesIn((await ask(type, [beside, ['_count', '1000']], 'strict')).json));
  return matchesIn(json).flatMap(id => (without.has(id) ? [] : [`${id} does not match without the odd parameter`]));
}

it('a refusal names the parameter; an answer used all parameters, and has no more than without one', async () => {
  await fc.assert(
    fc.asyncProperty(anySearch(), fc.constantFrom('strict', 'lenient'), async (search, handling) => {
      expect(await faultsOf(search, handling)).toEqual([]);
    }),
    { numRuns: Number(process.env['CRS_TEST_SEARCHES'] ?? 400), ...seeded },
  );
});

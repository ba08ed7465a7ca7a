import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { checkCompartments } from './checks/compartment.ts';
import { checkFilters } from './checks/filter.ts';
import { checkOperations } from './checks/operation/operations.ts';
import { checkChains } from './checks/chain.ts';
import { checkErrors } from './checks/errors.ts';
import { checkIncludes } from './checks/include.ts';
import { checkMetadata, checkSmart } from './checks/metadata.ts';
import { checkNegotiation } from './checks/negotiation.ts';
import { checkPaging } from './checks/paging.ts';
import { checkReads } from './checks/read.ts';
import { checkSearches } from './checks/search.ts';
import { checkSorts } from './checks/sort.ts';
import { checkWrites } from './write/writes.ts';
import type { Client } from './client.ts';
import type { TestContext } from './context.ts';
import { Findings } from './findings.ts';
import { Records } from './records.ts';
import type { Known } from './records.ts';
import { compileReference, foreignParameters } from './reference-model.ts';
import type { ReferenceModel } from './reference-model.ts';
import { readStatement } from './statement.ts';
import type { DeclaredType, Statement } from './statement.ts';
import { queryOf } from './url.ts';
import { ask } from './checks/answer.ts';

export interface RunOptions {
  readonly client: Client;
  /** The tested types; undefined for all that are declared. */
  readonly types: readonly string[] | undefined;
  readonly areas: ReadonlySet<Area>;
  /** Records of each type in the sample. */
  readonly sample: number;
  /** Values of each parameter that are searched for. */
  readonly depth: number;
  /** Whether records are created, changed and deleted. */
  readonly write: boolean;
  /** Called before each step with its name, of so many. */
  readonly progress: (step: string, done: number, of: number) => void;
  /** Ends the run early, after what was created is removed. */
  readonly signal?: AbortSignal;
}

/** What a run found. */
export interface Tested {
  readonly findings: Findings;
  /** Undefined if the server has no statement. */
  readonly statement: Statement | undefined;
  /** Records in the sample, by type. */
  readonly sampled: ReadonlyMap<string, number>;
  /** Canonicals of search parameters whose definitions are not known: tested by name only. */
  readonly unknown: readonly string[];
}

/** Tests a server by its own CapabilityStatement. It changes nothing unless `write` is set. */
export async function runConformance(options: RunOptions): Promise<Tested> {
  const { client, depth, signal = new AbortController().signal } = options;
  const findings = new Findings();
  const metadata = await client.get('metadata');
  if (!checkMetadata(metadata, findings)) return { findings, statement: undefined, sampled: new Map(), unknown: [] };
  const statement = readStatement(metadata.json ?? {});
  await checkSmart(client, statement.isSmart, findings);
  const wanted = [...statement.types].filter(([name]) => options.types?.includes(name) ?? true);
  const { model, unknown } = await referenceOf(client, { ...statement, types: new Map(wanted) });
  const types = wanted.flatMap(([name, type]) => (model.definitions.resourceTypes.has(name) ? [type] : []));
  const records = new Records(model);
  const context: TestContext = { client, statement, model, records, findings, types, sample: new Map(), depth, signal };
  const steps = stepsOf(context, options);
  for (const [at, [name, run]] of steps.entries()) {
    if (signal.aborted) break;
    options.progress(name, at, steps.length);
    await run();
  }
  const sampled = new Map([...context.sample].map(([name, { length }]) => [name, length]));
  return { findings, statement, sampled, unknown };
}

type TestStep = readonly [name: string, run: () => Promise<void>];

function stepsOf(context: TestContext, options: RunOptions): readonly TestStep[] {
  const { types } = context;
  const searched = types.filter(({ interactions }) => interactions.has('search-type'));
  const each = (
    area: Area,
    among: readonly DeclaredType[],
    run: (context: TestContext, type: DeclaredType) => Promise<void>,
  ) =>
    options.areas.has(area) ? among.map((type): TestStep => [`${area} ${type.name}`, () => run(context, type)]) : [];
  const once = (area: Area, run: (context: TestContext) => Promise<void>): readonly TestStep[] =>
    options.areas.has(area) ? [[area, () => run(context)]] : [];
  return [
    ...once('negotiation', checkNegotiation),
    ...once('errors', checkErrors),
    ...searched.map((type): TestStep => [`sample ${type.name}`, () => takeSample(context, type, options.sample)]),
    ...each('read', types, checkReads),
    ...each('paging', searched, checkPaging),
    ...each('search', searched, checkSearches),
    ...each('sort', searched, checkSorts),
    ...each('include', searched, checkIncludes),
    ...each('chain', searched, checkChains),
    ...each('filter', searched, checkFilters),
    ...each('compartment', types, checkCompartments),
    ...each('operation', types, checkOperations),
    ...(options.write ? [['write', () => checkWrites(context)] as const] : []),
  ];
}

/** The reference model, with the server's own SearchParameters if it offers them. */
async function referenceOf(client: Client, statement: Statement): Promise<ReferenceModel> {
  const own: JsonObject[] = [];
  for (const url of foreignParameters(statement)) {
    const { json = {} } = await client.get(`SearchParameter?${queryOf([['url', url]])}`);
    const found = objectsOf(json['entry']).flatMap(({ resource }) => objectsOf([resource]));
    own.push(...found.filter(one => asString(one['url']) === url).slice(0, 1));
  }
  return compileReference(statement, own);
}

/** Takes up to `most` records of a type through the server's own search, page by page. */
async function takeSample(context: TestContext, { name }: DeclaredType, most: number): Promise<void> {
  const count = Math.min(most, 100);
  const mostPages = Math.ceil(most / count) + 2; // a server may lower the size of a page
  const { matches } = await ask(context, name, [['_count', String(count)]], { findings: context.findings, mostPages });
  const found: Known[] = [];
  for (const resource of matches.slice(0, most)) {
    if (resource['resourceType'] !== name) continue;
    const known = context.records.add(resource);
    if (known !== undefined) found.push(known);
  }
  context.sample.set(name, found);
}

/** The parts of a run, in a module of their own that the command line loads before the tester. */
export const areas = [
  'read',
  'search',
  'sort',
  'include',
  'chain',
  'filter',
  'compartment',
  'operation',
  'paging',
  'errors',
  'negotiation',
] as const;

export type Area = (typeof areas)[number];

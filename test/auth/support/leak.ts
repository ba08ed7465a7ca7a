import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningEngine } from '../../../src/engine/engine.ts';
import type { Place } from '../../support/store-place.ts';
import { anyToken, createOracle, printScopes, seeingToken } from './oracle.ts';
import { anyRecords } from './records.ts';
import { anyJoined, anyRequests, anySeveral } from './requests.ts';
import type { Asked } from './requests.ts';
import { publicUrl, startTwins } from './twins.ts';
import type { Twins } from './twins.ts';

export interface LeakOptions {
  readonly usual?: number;
  /** The requests are chains, `_has`, filters and includes. */
  readonly joined?: boolean;
  /** The requests are searches of several types and of compartments. */
  readonly several?: boolean;
  /** The types of records, so that they often refer to each other; of all types if undefined. */
  readonly types?: readonly string[];
  /** The partitions have search parameters of their own (stored-parameters.ts). */
  readonly isDefining?: boolean;
  /** Other requests. */
  readonly requests?: fc.Arbitrary<readonly Asked[]>;
  /** Answers to these without which nothing could leak. */
  readonly needed?: readonly string[];
}

/**
 * For random records, random tokens and random requests, an answer is the same, but for what is random in it, as that
 * of a server which holds nothing but what the token may read. `CRS_TEST_ROUNDS` sets how many worlds are tried; more
 * follow until they held what could leak, and the requests were such as find something.
 */
export function leakProperty(guarded: boolean, newPlace: () => Promise<Place>, options: LeakOptions = {}): void {
  const { usual = 14, joined = false, several = false } = options;
  const rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? usual);
  let twins: Twins;
  beforeAll(async () => {
    twins = await startTwins(guarded, newPlace, options.isDefining);
  }, 60_000);
  afterAll(() => twins.close());

  it('no answer would differ if the records that the token cannot read were not there', async () => {
    const { property, seen } = comparisonOf(twins, guarded, options);
    const needed =
      options.requests !== undefined
        ? (options.needed ?? ['match', 'GET 200'])
        : several
          ? ['match', 'include', 'GET 200', 'GET 403', 'POST 200']
          : joined
            ? ['match', 'include', 'omitted', 'GET 403']
            : [
                ...telling,
                ...(guarded
                  ? ['step', 'omitted', 'validate 200', 'validate 404', 'PATCH 200', 'PATCH 403', 'PATCH 404']
                  : []),
              ];
    const lacking = (): readonly string[] => needed.filter(key => !seen.statuses.has(key));
    await fc.assert(property, { numRuns: rounds, endOnFailure: true });
    for (let more = 0; more < 20 * rounds && lacking().length > 0; more += 1)
      await fc.assert(property, { numRuns: 1, endOnFailure: true });
    expect(lacking()).toEqual([]);
    expect(seen.hidden).toBeGreaterThan(rounds);
  }, 600_000);
}

/** With a fault in the server that has all records, answers differ. `plant` makes it, and returns what undoes it. */
export function leakFault(
  newPlace: () => Promise<Place>,
  plant: (running: RunningEngine) => () => void,
  options: LeakOptions,
): void {
  let twins: Twins;
  let undo: () => void;
  beforeAll(async () => {
    twins = await startTwins(true, newPlace, options.isDefining);
    undo = plant(twins.servers[0].running);
  }, 60_000);
  afterAll(async () => {
    undo();
    await twins.close();
  });

  it('is found', async () => {
    const { property } = comparisonOf(twins, true, options);
    await expect(fc.assert(property, { numRuns: 800, endOnFailure: true })).rejects.toThrow('Property failed');
  }, 600_000);
}

interface Comparison {
  readonly property: fc.IAsyncProperty<unknown>;
  /** What the worlds held, and the answers to the requests. */
  readonly seen: { hidden: number; readonly statuses: Set<string> };
}

function comparisonOf(
  twins: Twins,
  guarded: boolean,
  { joined = false, several = false, types: ofTypes, requests: own }: LeakOptions,
): Comparison {
  const [whole, reduced] = twins.servers;
  const oracle = createOracle(whole.running.engine.model, guarded);
  let worlds = 0;
  const seen = { hidden: 0, statuses: new Set<string>() };
  const created = guarded ? ['Media', 'Communication', 'Communication'] : ['Media'];
  const world = anyRecords(ofTypes).chain(records => {
    const there = records.flatMap(({ versions: [one] }) =>
      one === undefined ? [] : [[one.resourceType, one.id] as const],
    );
    return fc.record({
      records: fc.constant(records),
      token: joined || several ? seeingToken : anyToken,
      requests: own ?? (several ? anySeveral : joined ? anyJoined : anyRequests(created, there)),
    });
  });
  const property = fc.asyncProperty(world, async ({ records: all, token, requests }) => {
    const { types } = whole.running.engine.model;
    const records = all.filter(({ versions: [version] }) => types.has(version?.resourceType ?? ''));
    const partition = `w${worlds++}`;
    const held = oracle.held(token, records);
    seen.hidden += records.length - held.length;
    await whole.fill(partition, records, records);
    await reduced.fill(partition, records, held);
    const { client, patient, fhirUser } = token;
    const expires = Number.MAX_SAFE_INTEGER;
    const text = twins.tokens.token({ client, patient, fhirUser, partition, scope: printScopes(token), expires });
    let moment = 0;
    for (const asked of requests) {
      let both: readonly [Asked, Asked] | undefined = [asked, asked];
      // A search continues to its last page.
      for (let page = 0; both !== undefined && page < 6; page += 1) {
        moment += 1;
        const answers: readonly string[] = await Promise.all(
          twins.servers.map((server, at) => server.ask(partition, both?.[at] ?? asked, text, moment)),
        );
        const [a = '', b = ''] = answers;
        expect(withoutTokens(a)).toBe(withoutTokens(b));
        const key = `${kindOf(asked)} ${a.slice(1, 4)}`;
        for (const part of ['step', 'omitted']) if (a.includes(`\\"name\\":\\"${part}\\"`)) seen.statuses.add(part);
        for (const mode of ['match', 'include']) if (a.includes(`\\"mode\\":\\"${mode}\\"`)) seen.statuses.add(mode);
        seen.statuses.add(key);
        if (a.includes('\\"type\\":\\"history\\"') && a.includes('\\"fullUrl\\"')) seen.statuses.add('versions');
        const next = answers.map(answer => nextOf(answer, partition));
        both = next[0] === undefined || next[1] === undefined ? undefined : [next[0], next[1]];
      }
    }
  });
  return { property, seen };
}

/** Answers without which nothing could leak. */
const telling = ['GET 200', 'GET 404', 'POST 200', 'create 201'];

function kindOf({ method, path, body }: Asked): string {
  if (path.includes('$validate')) return 'validate';
  return method === 'POST' && body?.startsWith('{') === true ? 'create' : method;
}

/** Page tokens differ each time that they are made; their length does not. */
const withoutTokens = (answer: string): string =>
  answer.replaceAll(/_page_token=[\w-]{20,}/g, token => `_page_token=${token.length}`);

function nextOf(answer: string, partition: string): Asked | undefined {
  const link = /\\"relation\\":\\"next\\",\\"url\\":\\"([^"\\]+)/.exec(answer)?.[1];
  if (link === undefined) return undefined;
  return { method: 'GET', path: link.slice(`${publicUrl}/r4/${partition}`.length), headers: {}, body: undefined };
}

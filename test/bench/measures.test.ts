import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDeep, requestCases } from './cases.ts';
import { createCases } from './create-cases.ts';
import type { Dataset } from './data/dataset.ts';
import { loadInto, ndjson, samplesOf, temporary } from './data/dataset.ts';
import { joinCases } from './join-cases.ts';
import { measureBeside } from './measure/beside.ts';
import { measureCreates } from './measure/creates.ts';
import { measureJoins } from './measure/joins.ts';
import { measureRequests } from './measure/requests.ts';
import { measureWords } from './measure/words.ts';
import { wordCases } from './word-cases.ts';

// The code of the bench runs on a small store and for a moment: its figures say nothing, but every answer has the right
// status, and the floor answers the same records as the service. `npm run test:long` does so with every case.

const isLong = process.env['CRS_TEST_LONG'] !== undefined;
/** Every case, or one of six. */
const some = <Case>(cases: readonly Case[]): readonly Case[] => cases.filter((_, at) => isLong || at % 6 === 0);
const records = 3_000;
const scratch = temporary('measures');
const warming = { requests: 1, seconds: 0 };
const rounds = { rounds: 1, duration: 40, connections: [4], warming };
const say = (): void => {};
const isRepository = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname }).status === 0;
let data: Dataset;

beforeAll(async () => {
  const { file, count } = await ndjson(records, 1, join(scratch.folder, 'records.ndjson'));
  const store = join(scratch.folder, 'records.sqlite');
  const load = await loadInto(store, file);
  data = { file: store, resources: count, samples: samplesOf(records, 1), load };
});

afterAll(() => scratch.remove());

describe('the bench measures', () => {
  it('requests, beside the floor, which answers the same records', async () => {
    const cases = some(requestCases.filter(one => !isDeep(one)));
    const { rows } = await measureRequests(cases, data, rounds, say);
    expect(rows.map(row => `${row.case}: ${row.subject}`)).toEqual(
      cases.flatMap(({ name }) => ['bare', 'page', 'floor', 'service'].map(subject => `${name}: ${subject}`)),
    );
    expect(rows.filter(({ rate, cpu }) => !(rate > 0 && cpu > 0))).toEqual([]);
  });

  it('joins, includes and words, beside their plain searches', async () => {
    const joins = await measureJoins(some(joinCases), data, rounds, say);
    const words = await measureWords(some(wordCases), data, rounds, say);
    const cases = [...some(joinCases), ...some(wordCases)];
    expect([...joins, ...words].map(({ name }) => name)).toEqual(cases.map(({ name }) => name));
    expect([...joins, ...words].filter(({ times }) => !(times > 0))).toEqual([]);
  });

  it.skipIf(!isRepository || !isLong)('the service beside that of a commit (with test:long, and git)', async () => {
    const [one] = requestCases;
    if (one === undefined) throw new Error('There are no cases');
    const rows = await measureBeside('HEAD', [one], data, rounds, say);
    expect(rows.map(({ case: name, times, share }) => [name, times > 0, share > 0])).toEqual([[one.name, true, true]]);
    await expect(measureBeside('no-commit', [one], data, rounds, say)).rejects.toThrow('no-commit');
  });

  it('creates', async () => {
    const rows = await measureCreates(createCases.slice(0, 1), data, rounds, say);
    expect(rows.map(({ rate }) => rate > 0)).toEqual([true]);
  });
});

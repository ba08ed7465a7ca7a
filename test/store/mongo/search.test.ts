import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { refuseCostly } from '../../../src/interaction/search/deadline.ts';
import type { Model, ResourceType } from '../../../src/model/model.ts';
import { orderIndex, sortedField } from '../../../src/store/mongo/collection-indexes.ts';
import { resources } from '../../../src/store/mongo/core.ts';
import { mostSorted } from '../../../src/store/keys/sorted.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import { searchPage } from '../../../src/store/mongo/search.ts';
import { DeadlinePassed, TooManyToSort } from '../../../src/store/port/errors.ts';
import type { ExplainedAnswer } from '../../../src/store/port/explained.ts';
import { entry, model, number, reference, search, thing, token } from '../../search/thing.ts';
import { cluster, describeOnCluster } from '../../support/mongodb/cluster.ts';
import { openSeen, type Seen } from './support/explained.ts';

const patient = thing.indexed.get('patient');
const code = thing.indexed.get('code');
if (patient === undefined || code === undefined) throw new Error('The type lacks a parameter');
const owner = { ...patient, single: true };
const type: ResourceType = {
  ...thing,
  indexed: new Map([...thing.indexed, ['patient', owner]]),
  pairs: [{ code: 'patient+code', owner, token: code }],
};
const typed: Model = { ...model, types: new Map([[type.name, type]]) };

/** A page of what is written as in a URL: ids, and the questions that it took. */
async function page(
  seen: Seen,
  written: string,
): Promise<{ ids: readonly string[]; questions: readonly Record<string, unknown>[] }> {
  const { query, sort } = search(written);
  let ids: readonly string[] = [];
  const questions = await seen.asked(async () => {
    const { versions } = await searchPage(seen.core, seen.partition, type, { query, sort, limit: 20 });
    ids = versions.map(({ id }) => id);
  });
  return { ids, questions };
}

describe('a search of MongoDB', () => {
  let seen: Seen;
  beforeAll(async () => {
    seen = await openSeen(typed);
    // One more than are sorted has a score.
    await seen.put(
      type,
      Array.from({ length: mostSorted + 1 }, (_, at) => [
        entry('patient', reference('Patient', `p${at % 100}`)),
        entry('code', token('http://s', at === 0 ? 'rare' : 'common')),
        entry('score', number(at)),
      ]),
    );
  });
  afterAll(() => seen.close());

  it.each([
    'patient=p1',
    'patient=p1&code=common',
    'patient=p1&_sort=-_lastUpdated',
    'code:not=common',
    'code=rare&patient=p0',
    '_id=r1',
  ])('%s is one question', async written => {
    expect((await page(seen, written)).questions).toHaveLength(1);
  });

  it.each(['', '&_sort=_id', '&_sort=-_lastUpdated'])(
    'by hundreds of values finds the first of many matches without sorting them, and sorts few%s',
    async sort => {
      const names = Array.from({ length: 300 }, (_, at) => `p${at}`);
      const first = `patient=p0,${names.slice(100).join(',')}${sort}`;
      expect((await page(seen, first)).ids).toEqual((await page(seen, `patient=p0${sort}`)).ids);
      expect((await page(seen, first)).questions).toHaveLength(1);
      const many = await page(seen, `patient=${names.join(',')}${sort}`);
      expect(many.ids).toEqual((await page(seen, `code=common,rare${sort}`)).ids);
      expect(many.questions).toHaveLength(0); // not by a `find`, whose matches are sorted
      const answers: ExplainedAnswer[] = [];
      const { query, sort: keys } = search(`patient=${names.join(',')}${sort}`);
      const explain = (one: ExplainedAnswer): void => void answers.push(one);
      await searchPage(seen.core, seen.partition, type, { query, sort: keys, limit: 20, explain });
      const [{ statements, order } = { statements: [], order: [] }] = answers;
      expect(statements.map(({ text }) => text)).toEqual([expect.stringContaining('"$limit":420')]);
      expect(order.every(({ index }) => index !== undefined)).toBe(true);
    },
  );

  it('by two keys is too costly where more match than are sorted', async () => {
    const sorted = '_sort=-_lastUpdated,_id';
    expect((await page(seen, `score=lt3&${sorted}`)).ids).toEqual(['r2', 'r1', 'r0']);
    expect((await page(seen, `code=common&${sorted}`)).ids.slice(0, 2)).toEqual(['r10000', 'r9999']);
    await expect(page(seen, sorted)).rejects.toThrow(new TooManyToSort(mostSorted));
    await expect(refuseCostly(page(seen, sorted))).rejects.toMatchObject({
      status: 403,
      issues: [{ code: 'too-costly' }],
    });
  });

  it('past the deadline it says so, also a count', async () => {
    const store = await openMongoStore(seen.url, { ...seen.core.options, mode: 'command', deadline: 1 });
    onTestFinished(() => store.close());
    const partition = await store.partition('clinic');
    const { query, sort } = search('name:missing=false');
    await expect(partition?.search(type.name, { query, sort, limit: 20 })).rejects.toThrow(DeadlinePassed);
    await expect(partition?.count(type.name, query)).rejects.toThrow(DeadlinePassed);
  });

  it('finds the same where an index is missing, and pages on', async () => {
    const before = await page(seen, 'patient=p1');
    await resources(seen.core, type.name).dropIndex(orderIndex(sortedField(type), seen.core.deployment));
    const after = await page(seen, 'patient=p1');
    expect(after.ids).toEqual(before.ids);
    expect(after.questions.map(({ hint }) => hint !== undefined)).toEqual([true, false]);
  });
});

describeOnCluster('a search', () => {
  it('of a patient names his bucket, and finds what lies there', async () => {
    const seen = await openSeen(typed, { server: cluster });
    onTestFinished(() => seen.close());
    await seen.put(
      type,
      Array.from({ length: 20 }, (_, at) => [
        entry('patient', reference('Patient', `p${at % 4}`)),
        entry('code', token('http://s', 'a')),
      ]),
    );
    const kept = await resources(seen.core, type.name)
      .find({}, { projection: { b: 1 } })
      .toArray();
    expect(new Set(kept.map(({ b }) => b)).size).toBe(4);
    for (const written of ['patient=p1', 'patient=p1&code=a']) {
      const { ids, questions } = await page(seen, written);
      expect([...ids].sort()).toEqual(['r1', 'r13', 'r17', 'r5', 'r9']);
      expect(questions).toMatchObject([
        {
          filter: {
            $and: expect.arrayContaining([
              { p: seen.partition.p, b: expect.stringMatching(/^[0-9a-f]{4}$/) as unknown },
            ]) as unknown,
          },
        },
      ]);
    }
    expect((await page(seen, 'code=a&patient=p1,p2')).ids).toHaveLength(10);
  });
});

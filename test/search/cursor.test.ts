import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursors, type CursorContent, type KeyDocuments } from '../../src/search/cursor.ts';
import { nextPageToken, parseSearchOrPage, type Searched } from '../../src/search/parse/page.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { printSort, print } from '../../src/search/print.ts';
import { context, pairs, search, thing } from './thing.ts';

const hour = 3_600_000;

const day = 24 * hour;

/** Documents in memory as a store keeps them, and a clock to turn. */
function setting() {
  const kept = new Map<string, { value: unknown; expires: number | undefined }>();
  const clock = { now: Date.UTC(2026, 0, 1) };
  const get = async (key: string): Promise<unknown> => {
    await setImmediate();
    const { value, expires = Infinity } = kept.get(key) ?? {};
    return expires > clock.now ? value : undefined;
  };
  const asked = { times: 0 };
  const documents: KeyDocuments = {
    get: key => {
      asked.times++;
      return get(key);
    },
    put: async (key, value, { expires = Infinity } = {}) => {
      const there = await get(key);
      if (there === undefined && !kept.has(key)) kept.set(key, { value, expires });
      return kept.get(key)?.value;
    },
  };
  return { documents, kept, clock, asked, cursors: () => createCursors(documents, () => clock.now) };
}

/** Turns the clock to where the keys change next, but for `before` milliseconds. */
function toNextKey(clock: { now: number }, before = 0): void {
  clock.now = (Math.floor(clock.now / (30 * day)) + 1) * 30 * day - before;
}

const content: CursorContent = {
  partition: 'demo',
  path: 'Observation',
  caller: 'abc',
  used: [['name', 'ann,bea']],
  position: { keys: [1, null, 'x'], id: 'r1' },
  at: 7,
};
const neutral = 'The `_page_token` is not valid: repeat the search and follow its next link.';

describe('page tokens', () => {
  it('give back what was sealed', async () => {
    const { cursors: another } = setting();
    const [cursors, other] = [await another(), await another()];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string({ unit: 'grapheme' }))),
        fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null))),
        fc.string(),
        (used, keys, id) => {
          const sealed = { ...content, used, position: { keys, id } };
          const token = cursors.seal(sealed);
          expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
          for (const reads of [cursors, other]) expect(reads.open(token, 'demo', 'Observation')).toEqual(sealed);
        },
      ),
    );
  });

  it('are good no longer than their key', async () => {
    const { cursors, clock } = setting();
    const one = await cursors();
    const first = one.seal(content);
    expect(one.open(first, 'demo', 'Observation')).toEqual(content);
    toNextKey(clock);
    await one.refresh();
    expect(one.open(first, 'demo', 'Observation')).toEqual(content);
    clock.now += day + 1;
    await one.refresh();
    expect(() => one.open(first, 'demo', 'Observation')).toThrow(neutral);
  });

  it('show nothing and are never twice the same', async () => {
    const cursors = await setting().cursors();
    const token = cursors.seal(content);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('ann');
    expect(cursors.seal(content)).not.toBe(token);
  });

  it('are good for one partition and one type', async () => {
    const cursors = await setting().cursors();
    const token = cursors.seal(content);
    expect(() => cursors.open(token, 'other', 'Observation')).toThrow(neutral);
    expect(() => cursors.open(token, 'demo', 'Patient')).toThrow(neutral);
  });

  it('are refused when one character is other than it was, or missing', async () => {
    const cursors = await setting().cursors();
    const token = cursors.seal(content);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'z', '_', '=', '.', ''), (at, character) => {
        fc.pre(token[at] !== character);
        const altered = token.slice(0, at) + character + token.slice(at + 1);
        expect(() => cursors.open(altered, 'demo', 'Observation')).toThrow(neutral);
      }),
      { numRuns: 500 },
    );
    for (const other of ['', 'a', `${token}A`, `${token}=`, ` ${token}`, '🙂'.repeat(50)]) {
      expect(() => cursors.open(other, 'demo', 'Observation')).toThrow(neutral);
    }
  });

  it('are read by every process, also after a restart', async () => {
    const { cursors } = setting();
    const [one, two] = await Promise.all([cursors(), cursors()]);
    expect(two.open(one.seal(content), 'demo', 'Observation')).toEqual(content);
  });

  const keyOf = (token: string): string => token.slice(0, 5);

  it('have another key every 30 days, and stay good for 24 hours after', async () => {
    const { cursors, clock } = setting();
    const one = await cursors();
    toNextKey(clock, day);
    await one.refresh();
    const first = one.seal(content);
    clock.now += day - 1;
    await one.refresh();
    const before = one.seal(content);
    expect(keyOf(before)).toBe(keyOf(first));
    clock.now += 1;
    await one.refresh();
    const after = one.seal(content);
    expect(keyOf(after)).not.toBe(keyOf(before));

    clock.now += day - 1;
    for (const each of [one, await cursors()]) {
      await each.refresh();
      expect(each.open(before, 'demo', 'Observation')).toEqual(content);
      expect(each.open(after, 'demo', 'Observation')).toEqual(content);
    }
    clock.now += 1;
    for (const each of [one, await cursors()]) {
      await each.refresh();
      expect(() => each.open(before, 'demo', 'Observation')).toThrow(neutral);
      expect(each.open(after, 'demo', 'Observation')).toEqual(content);
    }
  });

  it('are read by every process while the key changes, whichever makes it', async () => {
    const { cursors, clock } = setting();
    const all = await Promise.all(Array.from({ length: 5 }, cursors));
    for (const before of [hour, 60_000, 1, 0, -1]) {
      toNextKey(clock, before);
      await Promise.all(all.map(async each => each.refresh()));
      const tokens = all.map(each => each.seal(content));
      expect(new Set(tokens.map(keyOf)).size).toBe(1);
      for (const each of all)
        for (const token of tokens) expect(each.open(token, 'demo', 'Observation')).toEqual(content);
    }
  });

  it('are read by a process whose clock is some minutes behind', async () => {
    const { cursors, documents, clock } = setting();
    const slow = await createCursors(documents, () => clock.now - 10 * 60_000);
    const right = await cursors();
    toNextKey(clock);
    await Promise.all([slow.refresh(), right.refresh()]);
    expect(slow.open(right.seal(content), 'demo', 'Observation')).toEqual(content);
    expect(right.open(slow.seal(content), 'demo', 'Observation')).toEqual(content);
  });

  it('have a key after months without a search, which requests at the same moment wait for', async () => {
    const { cursors, clock } = setting();
    const one = await cursors();
    const before = one.seal(content);
    clock.now += 100 * day;
    const tokens = await Promise.all(
      [1, 2, 3].map(async () => {
        await one.refresh();
        return one.seal(content);
      }),
    );
    expect(new Set([before, ...tokens].map(keyOf)).size).toBe(2);
    for (const token of tokens) expect((await cursors()).open(token, 'demo', 'Observation')).toEqual(content);
  });

  it('ask the store for a key only when there is another', async () => {
    const { cursors, clock, asked, kept } = setting();
    const one = await cursors();
    const { times } = asked;
    for (let minutes = 0; minutes < 60; minutes++) {
      clock.now += 60_000;
      await one.refresh();
    }
    expect(asked.times).toBe(times);
    const [key] = kept.values();
    expect(key?.expires).toBeLessThanOrEqual(clock.now + 31 * day);
  });

  it('survive a store that does not answer for a moment', async () => {
    const { documents, clock } = setting();
    let fails = false;
    const get: KeyDocuments['get'] = key => (fails ? Promise.reject(new Error('no answer')) : documents.get(key));
    const one = await createCursors({ ...documents, get }, () => clock.now);
    toNextKey(clock, 60_000);
    fails = true;
    await expect(one.refresh()).rejects.toThrow('no answer');
    fails = false;
    await one.refresh();
    clock.now += 60_000;
    expect(one.open(one.seal(content), 'demo', 'Observation')).toEqual(content);
  });
});

describe('parseSearchOrPage', () => {
  const paging = async () => ({ cursors: await setting().cursors(), partition: 'demo', caller: 'abc' });
  const searched: Searched = { path: 'Observation', parse: (given, where) => [parseSearch(thing, given, where)] };
  const first = search('name=ann&_sort=-date&_count=5&date=ap2020');
  const position = { keys: [5], id: 'r5' };
  const parse = async (...given: Parameters<typeof parseSearchOrPage>) => parseSearchOrPage(...given);

  it('is the same search, after the position', async () => {
    const mine = await paging();
    const token = await nextPageToken(searched.path, first, position, mine);
    const later = { ...context, now: context.now + hour };
    const [request] = await parseSearchOrPage(searched, [['_page_token', token]], later, mine);
    expect(request).toEqual({ ...first, after: position, self: [['_page_token', token]] });
    expect(request && print(request.query)).toBe(print(first.query));
    expect(request && printSort(request.sort)).toBe('-date');
  });

  it('takes another _count beside the token', async () => {
    const mine = await paging();
    const token = await nextPageToken(searched.path, first, position, mine);
    const [request] = await parseSearchOrPage(
      searched,
      [
        ['_page_token', token],
        ['_count', '5000'],
      ],
      context,
      mine,
    );
    expect(request?.count).toBe(1000);
    expect(request?.self).toEqual([
      ['_page_token', token],
      ['_count', '1000'],
    ]);
    expect(request?.used).toContainEqual(['_count', '1000']);
    expect(request?.used).toHaveLength(first.used.length);
  });

  it.each(['name=bea', '_sort=date', '_count=1&_count=2', '_page_token=x', 'nmae=a'])(
    'takes no `%s` beside it',
    async more => {
      const mine = await paging();
      const token = await nextPageToken(searched.path, first, position, mine);
      const all = [...pairs(`_page_token=${token}`), ...pairs(more)];
      await expect(parse(searched, all, { ...context, handling: 'lenient' }, mine)).rejects.toMatchObject({
        status: 400,
      });
    },
  );

  it('refuses the token of another caller', async () => {
    const mine = await paging();
    const token = await nextPageToken(searched.path, first, position, mine);
    const asked = parse(searched, [['_page_token', token]], context, { ...mine, caller: 'other' });
    await expect(asked).rejects.toThrow(neutral);
  });

  it('does not take an empty token for the first page', async () => {
    const asked = parse(searched, [['_page_token', '']], { ...context, handling: 'lenient' }, await paging());
    await expect(asked).rejects.toThrow(neutral);
  });

  it('is a search where there is no token', async () => {
    const [request] = await parseSearchOrPage(searched, pairs('name=ann'), context, await paging());
    expect(request).toEqual(search('name=ann'));
  });

  it('reports a search that is too long for a link', async () => {
    const ids = Array.from({ length: 900 }, () => crypto.randomUUID()).join(',');
    const request = search(`_id=${ids}`);
    const all = await paging();
    expect(() => nextPageToken(searched.path, request, position, all)).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });
});

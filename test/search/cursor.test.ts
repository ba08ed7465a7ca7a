import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursors, type CursorContent, type KeyDocuments } from '../../src/search/cursor.ts';
import { nextPageToken, parseSearchOrPage } from '../../src/search/parse/page.ts';
import { printSort, print } from '../../src/search/print.ts';
import { context, pairs, search, thing } from './thing.ts';

const hour = 3_600_000;

/** Documents in memory, and a clock to turn. */
function setting() {
  const kept = new Map<string, unknown>();
  const documents: KeyDocuments = {
    get: key => Promise.resolve(kept.get(key)),
    put: (key, value) => Promise.resolve(void kept.set(key, value)),
    putIfAbsent: (key, value) => {
      if (!kept.has(key)) kept.set(key, value);
      return Promise.resolve(kept.get(key));
    },
  };
  const clock = { now: 0 };
  return { documents, clock, cursors: () => createCursors(documents, () => clock.now) };
}

const content: CursorContent = {
  partition: 'demo',
  type: 'Observation',
  caller: 'abc',
  used: [['name', 'ann,bea']],
  position: { keys: [1, null, 'x'], id: 'r1' },
  at: 7,
};
const neutral = 'The `_page_token` is not valid here: start the search anew and follow its next link.';

describe('page tokens', () => {
  it('give back what was sealed', async () => {
    const cursors = await setting().cursors();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string({ unit: 'grapheme' }))),
        fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null))),
        fc.string(),
        (used, keys, id) => {
          const sealed = { ...content, used, position: { keys, id } };
          const token = cursors.seal(sealed);
          expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(cursors.open(token, 'demo', 'Observation')).toEqual(sealed);
        },
      ),
    );
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

  it('stay good for 24 hours after the key has changed', async () => {
    const { cursors, clock } = setting();
    const one = await cursors();
    const other = await cursors();
    const before = one.seal(content);
    await one.rotate();
    const after = one.seal(content);
    expect(after.slice(0, 5)).not.toBe(before.slice(0, 5));
    clock.now += 23 * hour;
    await one.rotate();
    expect(one.open(before, 'demo', 'Observation')).toEqual(content);
    expect(one.open(after, 'demo', 'Observation')).toEqual(content);

    await other.refresh();
    expect(other.open(after, 'demo', 'Observation')).toEqual(content);
    clock.now += hour;
    expect(() => one.open(before, 'demo', 'Observation')).toThrow(neutral);
    expect(one.open(after, 'demo', 'Observation')).toEqual(content);
  });
});

describe('parseSearchOrPage', () => {
  const paging = async () => ({ cursors: await setting().cursors(), partition: 'demo', caller: 'abc' });
  const first = search('name=ann&_sort=-date&_count=5&date=ap2020');
  const position = { keys: [5], id: 'r5' };

  it('is the same search, after the position', async () => {
    const mine = await paging();
    const token = await nextPageToken(first, position, mine);
    const later = { ...context, now: context.now + hour };
    const request = await parseSearchOrPage(thing, [['_page_token', token]], later, mine);
    expect(request).toEqual({ ...first, after: position, self: [['_page_token', token]] });
    expect(print(request.query)).toBe(print(first.query));
    expect(printSort(request.sort)).toBe('-date');
  });

  it('takes another _count beside the token', async () => {
    const mine = await paging();
    const token = await nextPageToken(first, position, mine);
    const request = await parseSearchOrPage(
      thing,
      [
        ['_page_token', token],
        ['_count', '5000'],
      ],
      context,
      mine,
    );
    expect(request.count).toBe(1000);
    expect(request.self).toEqual([
      ['_page_token', token],
      ['_count', '1000'],
    ]);
    expect(request.used).toContainEqual(['_count', '1000']);
    expect(request.used).toHaveLength(first.used.length);
  });

  it.each(['name=bea', '_sort=date', '_count=1&_count=2', '_page_token=x', 'nmae=a'])(
    'takes no `%s` beside it',
    async more => {
      const mine = await paging();
      const token = await nextPageToken(first, position, mine);
      const all = [...pairs(`_page_token=${token}`), ...pairs(more)];
      await expect(parseSearchOrPage(thing, all, { ...context, handling: 'lenient' }, mine)).rejects.toMatchObject({
        status: 400,
      });
    },
  );

  it('refuses the token of another caller', async () => {
    const mine = await paging();
    const token = await nextPageToken(first, position, mine);
    const asked = parseSearchOrPage(thing, [['_page_token', token]], context, { ...mine, caller: 'other' });
    await expect(asked).rejects.toThrow(neutral);
  });

  it('does not take an empty token for the first page', async () => {
    const asked = parseSearchOrPage(thing, [['_page_token', '']], { ...context, handling: 'lenient' }, await paging());
    await expect(asked).rejects.toThrow(neutral);
  });

  it('is a search where there is no token', async () => {
    const request = await parseSearchOrPage(thing, pairs('name=ann'), context, await paging());
    expect(request).toEqual(search('name=ann'));
  });

  it('tells where a search is too long for a link', async () => {
    const ids = Array.from({ length: 900 }, () => crypto.randomUUID()).join(',');
    const request = search(`_id=${ids}`);
    await expect(nextPageToken(request, position, await paging())).rejects.toMatchObject({ status: 400 });
  });
});

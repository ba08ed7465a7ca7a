import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as t from '../store/support/fixture.ts';
import { digestOf } from '../../src/store/audit/line.ts';
import type { AuditEntry, AuditFilter, ChainPlace } from '../../src/store/audit/line.ts';
import { ChainedLog } from '../../src/audit/log/log.ts';
import type { AuditLog } from '../../src/audit/log/log.ts';
import { openStore } from '../../src/store/open.ts';
import type { AuditDamage } from '../../src/store/audit/verify.ts';
import type { Store } from '../../src/store/port/store.ts';
import { list } from '../store/support/list.ts';

/** Where chains are kept below a store, for tests that damage them. */
export interface Below {
  /** Replaces the lines of a chain by those that `edit` returns. */
  change(url: string, chain: string, edit: (lines: string[]) => string[]): Promise<void>;
}

const noon = Date.parse('2026-11-21T12:00:00Z');
const day = 86_400_000;

/** What an audit log promises, whatever keeps it. */
export function auditContract(where: { newPlace(): Promise<t.Place> }, below: Below): void {
  const open = (url: string, now: () => number = () => noon): Promise<Store> =>
    openStore(url, { model: t.modelOf(), extract: t.extract, now, mode: 'command', deadline: 20_000 });

  /** A log on a place of its own, and what it becomes when another process opens it. */
  async function withLog(
    work: (log: AuditLog, again: (now?: () => number) => Promise<AuditLog>, url: string) => Promise<void>,
    now: () => number = () => noon,
  ): Promise<void> {
    const place = await where.newPlace();
    const opened: { readonly store: Store; readonly log: ChainedLog }[] = [];
    const again = async (clock: () => number = now): Promise<AuditLog> => {
      const store = await open(place.url, clock);
      const log = new ChainedLog(store.chains, clock);
      opened.push({ store, log });
      return log;
    };
    try {
      await work(await again(), again, place.url);
    } finally {
      for (const { store, log } of opened) {
        await log.close();
        await store.close();
      }
      await place.remove();
    }
  }

  const texts = async (log: AuditLog, filter?: AuditFilter): Promise<readonly string[]> =>
    (await list(log.list(filter))).map(({ text }) => text);

  describe('append and list', () => {
    it('give back what was kept, as it was, to other processes too', () =>
      withLog(async (log, again) => {
        const odd = event({
          text: '{"a":"\\",\\"event\\":{é😀\\n"}',
          client: 'a "b"',
          partition: 'demo',
          patients: ['p1', 'p2'],
        });
        await log.append([odd]);
        expect(await list(log.list())).toEqual([odd]);
        expect(await list((await again()).list())).toEqual([odd]);
      }));

    it('keep the order in which events come, also of many appends at once', () =>
      withLog(async log => {
        const events = Array.from({ length: 300 }, (_, at) => event({ recorded: noon + at }));
        await Promise.all(events.map(one => log.append([one])));
        expect(await texts(log)).toEqual(events.map(({ text }) => text));
        expect(await list(log.verify())).toEqual([]);
      }));

    it('take nothing once the log is closed', async () => {
      const place = await where.newPlace();
      const store = await open(place.url);
      const log = new ChainedLog(store.chains, () => noon);
      const first = event({});
      await log.append([first]);
      await log.close();
      await expect(log.append([event({})])).rejects.toThrow('The audit log is closed');
      expect(await list(log.list())).toEqual([first]);
      await store.close();
      await place.remove();
    });

    it('give the events of several processes in the order of time', () =>
      withLog(async (log, again) => {
        const other = await again();
        for (let at = 0; at < 10; at += 2) {
          await log.append([event({ recorded: noon + at, text: `{"n":${at}}` })]);
          await other.append([event({ recorded: noon + at + 1, text: `{"n":${at + 1}}` })]);
        }
        expect(await texts(await again())).toEqual(Array.from({ length: 10 }, (_, at) => `{"n":${at}}`));
      }));

    it('need nothing but the place: an empty log lists, verifies and prunes', () =>
      withLog(async log => {
        await log.append([]);
        expect(await list(log.list())).toEqual([]);
        expect(await list(log.verify())).toEqual([]);
        expect(await log.prune(noon)).toBe(0);
      }));
  });

  describe('a filter', () => {
    const first = event({ recorded: noon, partition: 'demo', client: 'app', patients: ['p1'], text: '{"n":1}' });
    const second = event({
      recorded: noon + 1,
      partition: 'demo',
      client: 'other',
      patients: ['p1', 'p2'],
      text: '{"n":2}',
    });
    const third = event({ recorded: noon + 2, partition: 'clinic', patients: [], text: '{"n":3}' });
    it.each<[AuditFilter, readonly number[]]>([
      [{}, [1, 2, 3]],
      [{ partition: 'demo' }, [1, 2]],
      [{ client: 'app' }, [1]],
      [{ patient: 'p1' }, [1, 2]],
      [{ patient: 'p2', partition: 'demo' }, [2]],
      [{ patient: 'p' }, []],
      [{ patient: 'p2', client: 'app' }, []],
      [{ since: noon + 1 }, [2, 3]],
      [{ until: noon + 1 }, [1]],
      [{ since: noon + 1, until: noon + 2 }, [2]],
      [{ since: noon + day }, []],
    ])('%j lets through %j', (filter, numbers) =>
      withLog(async log => {
        await log.append([first, second, third]);
        expect(await texts(log, filter)).toEqual(numbers.map(n => `{"n":${n}}`));
      }),
    );
  });

  describe('prune', () => {
    it('drops whole days alone, and the log continues', async () => {
      let now = noon;
      await withLog(
        async (log, again) => {
          for (let at = 0; at < 4; at += 1) {
            now = noon + at * day;
            await log.append([event({ recorded: now, text: `{"day":${at}}` }), event({ recorded: now + 1 })]);
          }
          expect(await log.prune(noon - day)).toBe(0);
          expect(await log.prune(noon + 2 * day + 3_600_000)).toBe(4);
          expect(await list(log.verify())).toEqual([]);
          const left = await texts(await again());
          expect(left).toHaveLength(4);
          expect(left[0]).toBe('{"day":2}');
          expect(await log.prune(noon + 2 * day)).toBe(0);
        },
        () => now,
      );
    });

    it('never deletes the chain that is being written, whatever the limit', () =>
      withLog(async log => {
        await log.append([event({})]);
        expect(await log.prune(noon + 1000 * day)).toBe(0);
        await log.append([event({})]);
        expect(await list(log.list())).toHaveLength(2);
      }));
  });

  describe('verify', () => {
    /** Compares the findings after the first chain, which another process names, was edited. */
    const damaged = async (
      edit: (lines: string[]) => string[],
      expected: (chain: string) => readonly AuditDamage[],
    ): Promise<void> =>
      withLog(async (log, again, url) => {
        await log.append([1, 2, 3, 4].map(n => event({ text: `{"n":${n}}`, patients: ['p1'] })));
        await (await again(() => noon + 1000)).append([event({})]);
        const chain = await chainOf(url);
        await below.change(url, chain, edit);
        expect(await list((await again()).verify())).toEqual(expected(chain));
      });

    it.each<[string, (lines: string[]) => string[], number]>([
      ['an event was altered', lines => lines.map(line => line.replace('{"n":2}', '{"n":9}')), 2],
      ['a patient was altered', lines => lines.map((line, n) => (n === 3 ? line.replace('"p1"', '"p9"') : line)), 3],
      ['an event was removed', lines => lines.toSpliced(2, 1), 2],
      ['events were exchanged', ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest], 1],
      ['the first line is gone', lines => lines.slice(1), 0],
    ])('reports that %s', (_, edit, line) =>
      withLog(async (log, again, url) => {
        await log.append([1, 2, 3, 4].map(n => event({ text: `{"n":${n}}`, patients: ['p1'] })));
        const chain = await chainOf(url);
        await below.change(url, chain, edit);
        const found = await list((await again()).verify());
        expect(found[0]).toEqual({ chain, line, is: 'altered' });
      }),
    );

    it.each<[string, (lines: string[]) => string[], (chain: string) => readonly AuditDamage[]]>([
      ['that the end of a chain is gone', lines => lines.slice(0, -1), chain => [{ chain, line: 4, is: 'missing' }]],
      [
        'that a chain was rewritten with matching digests',
        lines => rechained(lines.map(line => line.replace('{"n":2}', '{"n":9}'))),
        chain => [{ chain, line: 4, is: 'altered' }],
      ],
      ['that a chain is gone', () => [], chain => [{ chain, line: undefined, is: 'missing' }]],
      ['nothing where nothing was done', lines => lines, () => []],
    ])('reports %s, if a later chain names it', async (_, edit, expected) => {
      expect.assertions(1);
      await damaged(edit, expected);
    });
  });

  /** The first chain. */
  async function chainOf(url: string): Promise<string> {
    let found = '';
    await below.change(url, '', lines => {
      found = lines[0] ?? '';
      return lines;
    });
    return found;
  }

  it('continues in a new chain after a failure, and reports it to each caller of append', async () => {
    const kept: string[][] = [];
    let broken = false;
    const place: ChainPlace = {
      chains: async () => [],
      begin: async () => {
        const lines: string[] = [];
        kept.push(lines);
        return {
          write: async (_, more) => {
            if (broken) throw new Error('The disk is full');
            lines.push(...more);
          },
          close: async () => {},
        };
      },
      lines: () => list2([]),
      last: async () => undefined,
      remove: async () => {},
    };
    const log = new ChainedLog(place, () => noon);
    await log.append([event({})]);
    broken = true;
    const failed = await Promise.allSettled([log.append([event({})]), log.append([event({})])]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    await log.append([event({})]);
    expect(kept.map(({ length }) => length)).toEqual([2, 2]);
  });
}

/** Lines with digests as they would be, had they been written so. */
function rechained(lines: readonly string[]): string[] {
  let before = '';
  return lines.map(line => {
    const content = line.slice(line.indexOf(',') + 1);
    before = digestOf(before, content);
    return `{"hash":"${before}",${content}`;
  });
}

async function* list2<T>(values: readonly T[]): AsyncIterable<T> {
  yield* values;
}

function event(more: Partial<AuditEntry>): AuditEntry {
  return {
    recorded: noon,
    partition: undefined,
    client: undefined,
    patients: [],
    text: JSON.stringify({ id: randomUUID() }),
    ...more,
  };
}

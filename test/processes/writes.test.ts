// What children give their parent to write: src/processes/child-writes.ts, src/processes/parent-writes.ts.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainedLog } from '../../src/audit/log/log.ts';
import { ChildWrites } from '../../src/processes/child-writes.ts';
import { openLink } from '../../src/processes/link.ts';
import { createParentWrites } from '../../src/processes/parent-writes.ts';
import type { ParentWritesParts } from '../../src/processes/parent-writes.ts';
import type { ParentCalls } from '../../src/processes/protocol.ts';
import { StoreUnavailable } from '../../src/store/port/errors.ts';
import { chainsInMemory } from '../audit/support/chains.ts';
import type { Chains } from '../audit/support/chains.ts';
import { pair } from './support/channel.ts';

/** A child and its parent, whose commits note whether the event of the job was durable before. */
function start(parts: Partial<Pick<ParentWritesParts, 'whenFailing' | 'commit'>> = {}) {
  const disk = chainsInMemory();
  const committed: { job: unknown; isAudited: boolean }[] = [];
  const { ends, sent } = pair();
  const failures: unknown[] = [];
  const isDurable = (name: unknown): boolean =>
    [...disk.kept.values()].flat().some(line => line.includes(`"event":"${String(name)}"`));
  const write = createParentWrites({
    auditLog: new ChainedLog(disk, () => 0),
    failed: error => void failures.push(error),
    whenFailing: 'refuse',
    commit: async job => {
      committed.push({ job, isAudited: isDurable(job) });
      return `done ${String(job)}`;
    },
    ...parts,
  });
  openLink(ends[1], { write }, unexpected);
  return { disk, committed, sent, failures, writes: new ChildWrites(openLink<ParentCalls>(ends[0], {}, unexpected)) };
}

const line = (name: string): string => `"at":0,"event":"${name}"}`;
const outcome = (work: Promise<unknown>): Promise<string> => work.then(String, (error: Error) => error.message);
const refused = expect.stringContaining('The audit log cannot be written');

describe('the writes of a child', () => {
  it('are committed after their events are durable, those that come together in one message', async () => {
    const { writes, committed, sent } = start();
    const results = ['a', 'b'].map(name => {
      writes.hold(line(name));
      return writes.commit(name, true);
    });
    const appended = writes.append(line('a read'));
    expect(await Promise.all(results)).toEqual(['done a', 'done b']);
    await appended;
    expect(committed).toEqual(['a', 'b'].map(job => ({ job, isAudited: true })));
    expect(sent).toHaveLength(1);
  });

  it('that come while others are on their way share the next message', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { writes, sent } = start({ commit: () => promise });
    const first = writes.commit('a', true);
    await new Promise(done => setTimeout(done, 5));
    const rest = ['b', 'c', 'd'].map(job => writes.commit(job, true));
    await new Promise(done => setTimeout(done, 5));
    expect(sent).toHaveLength(1);
    resolve();
    await Promise.all([first, ...rest]);
    expect(sent).toHaveLength(2);
  });

  it('do not delay events that are appended: a writer that takes long is not a failing log', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { writes, disk } = start({ commit: () => promise });
    writes.hold(line('a'));
    const first = writes.commit('a', true);
    await writes.append(line('a read')); // with the first job, and while it runs
    writes.hold(line('b'));
    await writes.append(line('another read'));
    expect(namesOn(disk)).toEqual(['a', 'a read', 'b', 'another read']);
    resolve();
    await first;
  });

  it('of records are refused if their events cannot be stored, which are stored later', async () => {
    const { writes, disk, committed, failures } = start();
    disk.room = 0;
    writes.hold(line('a'));
    await expect(writes.commit('a', true)).rejects.toMatchObject({ status: 503, message: refused });
    await expect(writes.append(line('a read'))).rejects.toThrow(StoreUnavailable);
    expect(await writes.commit('a token', false)).toBe('done a token');
    expect(committed.splice(0)).toMatchObject([{ job: 'a token' }]);
    expect([committed, failures.length]).toEqual([[], 3]);
    disk.room = Infinity;
    await writes.append(line('a read'));
    expect([...disk.kept.values()].flat().filter(text => text.includes('"event":"a"'))).toHaveLength(1);
  });

  it('are done without events where a setting says so', async () => {
    const { writes, disk } = start({ whenFailing: 'open' });
    disk.room = 0;
    const [appended, done] = await Promise.all([outcome(writes.append(line('a'))), outcome(writes.commit('a', true))]);
    expect([appended, done]).toEqual([refused, 'done a']);
  });

  it('have an answer each: an error of one is not that of others', async () => {
    const { writes } = start({
      commit: async job => {
        if (job === 'b') throw new StoreUnavailable('no-store', 'The disk is full');
        return job;
      },
    });
    const answers = await Promise.all(
      ['a', 'b', 'c'].map(job => writes.commit(job, true).catch((error: unknown) => error)),
    );
    expect(answers).toEqual(['a', expect.any(StoreUnavailable), 'c']);
    expect(answers[1]).toMatchObject({ reason: 'no-store', message: 'The disk is full' });
  });

  it('are never committed without their event, however the disk fails, and none is forgotten', async () => {
    const step = fc.record({
      jobs: fc.integer({ min: 0, max: 3 }),
      /** Turns of the event loop between the event of a job and the job. */
      turns: fc.integer({ min: 0, max: 3 }),
      reads: fc.boolean(),
      room: fc.constantFrom(0, 1, Infinity, Infinity),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
        const { writes, disk, committed } = start();
        const all: Promise<readonly [string, string]>[] = [];
        const reads: Promise<string>[] = [];
        let number = 0;
        for (const { jobs, turns, reads: isRead, room } of steps) {
          disk.room = room;
          for (let at = 0; at < jobs; at += 1) {
            const name = `job ${(number += 1)}`;
            writes.hold(line(name));
            const later = (async () => {
              for (let turn = 0; turn < turns; turn += 1) await nextTurn();
              return [name, await outcome(writes.commit(name, true))] as const;
            })();
            all.push(later);
          }
          if (isRead) reads.push(outcome(writes.append(line('read'))));
          await nextTurn();
        }
        const answers = await Promise.all(all);
        await Promise.all(reads);
        expect(committed.filter(({ isAudited }) => !isAudited)).toEqual([]);
        const done = answers.filter(([name, answer]) => answer === `done ${name}`).map(([name]) => name);
        expect(new Set(committed.map(({ job }) => job))).toEqual(new Set(done));
        disk.room = Infinity;
        await writes.append(line('the last'));
        const stored = new Set([...disk.kept.values()].flat().map(text => /"event":"(job \d+)"/.exec(text)?.[1]));
        for (const [name] of answers) expect(stored).toContain(name);
      }),
    );
  });
});

const namesOn = ({ kept }: Chains): (string | undefined)[] =>
  [...kept.values()].flat().flatMap(text => /"event":"([^"]*)"/.exec(text)?.[1] ?? []);

const nextTurn = (): Promise<void> => new Promise(done => setImmediate(done));

function unexpected(error: unknown): never {
  throw error;
}

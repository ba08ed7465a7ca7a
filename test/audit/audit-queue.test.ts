import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AuditQueue } from '../../src/audit/audit-queue.ts';
import { readEvents } from '../../src/audit/read-events.ts';
import { ChainedLog } from '../../src/audit/log/log.ts';
import type { AuditEntry } from '../../src/store/audit/line.ts';
import { list } from '../store/support/list.ts';
import { chainsInMemory } from './support/chains.ts';
import type { Chains } from './support/chains.ts';

const event = (name: string): AuditEntry => ({
  recorded: 0,
  partition: undefined,
  client: undefined,
  patients: [],
  text: JSON.stringify({ id: randomUUID(), name }),
});

function start(): { batch: AuditQueue; disk: Chains; log: ChainedLog; names: () => Promise<string[]> } {
  const disk = chainsInMemory();
  let now = 0;
  const log = new ChainedLog(disk, () => (now += 1)); // so that chains are in order
  const batch = new AuditQueue({
    log,
    fault: () => {},
    outage: lost => event(`outage ${lost}`),
    beforeFlush: () => {},
    changed: () => {},
  });
  const names = async (): Promise<string[]> =>
    (await list(readEvents(log))).map(({ text }) => (JSON.parse(text) as { name: string }).name);
  return { batch, disk, log, names };
}

const after = (time: number): Promise<void> => new Promise(done => setTimeout(done, time));

describe('events that wait', () => {
  it('come once and in order, also where a part of them was kept when the disk was full', async () => {
    const { batch, disk, names } = start();
    batch.add(event('first'));
    await expect.poll(names).toEqual(['first']);
    [disk.room, disk.time] = [2, 200];
    for (const name of ['a', 'b', 'c']) batch.add(event(name));
    await after(200);
    batch.add(event('d')); // while those are being written
    await expect.poll(() => batch.failing).toBe('transient');
    batch.add(event('e'));
    [disk.room, disk.time] = [Infinity, 0];
    await expect.poll(() => batch.failing).toBeUndefined();
    expect(await batch.close()).toBe(0);
    const all = await names();
    expect(all.filter(name => name !== 'outage 0')).toEqual(['first', 'a', 'b', 'c', 'd', 'e']);
    expect(all).toContain('outage 0');
  });

  it('leave no chain for each attempt while the disk is full', async () => {
    const { batch, disk, log } = start();
    disk.room = 0;
    for (let at = 0; at < 5; at += 1) await expect(batch.keep(event('refused'))).rejects.toThrow('full');
    expect(disk.kept.size).toBe(0);
    disk.room = Infinity;
    expect(await batch.close()).toBe(0);
    expect(await list(log.verify())).toEqual([]);
  });

  it('are all stored at last, with an event that counts those over the limit', async () => {
    const { batch, disk, names } = start();
    disk.room = 0;
    await expect(batch.keep(event('refused'))).rejects.toThrow('full');
    for (let at = 0; at < 50_009; at += 1) batch.add(event('waits'));
    disk.room = Infinity;
    expect(await batch.close()).toBe(0);
    const all = await names();
    expect([all.length, all[0], all.at(-1)]).toEqual([50_001, 'outage 0', 'outage 10']);
  });

  it('are not more than the memory that they may take', async () => {
    const { batch, disk, names } = start();
    disk.room = 0;
    await expect(batch.keep(event('refused'))).rejects.toThrow('full');
    for (let at = 0; at < 70; at += 1) batch.add(event('x'.repeat(1024 * 1024)));
    batch.add(event('few'));
    disk.room = Infinity;
    expect(await batch.close()).toBe(0);
    const all = await names();
    expect([all.length, all.at(-1)]).toEqual([66, 'outage 7']);
  });

  it('are kept once each, also those that come while the last are being kept', async () => {
    const { batch, disk, names } = start();
    disk.time = 300;
    batch.add(event('0'));
    const closing = batch.close();
    const added = ['0'];
    for (let at = 1; at < 12; at += 1) {
      await after(50);
      batch.add(event(`${at}`));
      added.push(`${at}`);
    }
    expect(await closing).toBe(0);
    expect((await names()).slice(0, added.length)).toEqual(added);
  });

  it('count as not kept where the disk takes too long', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { batch, disk } = start();
    disk.time = 20_000;
    batch.add(event('waits'));
    const seen: (string | undefined)[] = [];
    for (let second = 0; second < 45; second += 5) {
      await vi.advanceTimersByTimeAsync(5_000);
      seen.push(batch.failing);
    }
    expect([seen[0], seen[1], seen.at(-1)]).toEqual([undefined, 'timeout', undefined]);
  });

  it('are counted if they cannot be stored at the close', async () => {
    const { batch, disk } = start();
    disk.room = 0;
    for (const name of ['a', 'b']) batch.add(event(name));
    expect(await batch.close()).toBe(3); // with the one that would count them
  });
});

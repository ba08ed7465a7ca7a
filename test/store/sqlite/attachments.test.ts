import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createExtract } from '../../../src/indexing/extract.ts';
import type { Model } from '../../../src/model/model.ts';
import { bytesPath, trashPath } from '../../../src/store/files/attachments.ts';
import { bytesFolders, sweepBytes } from '../../../src/store/files/sweep.ts';
import { knownAttachments } from '../../../src/store/sqlite/attachments.ts';
import { byteSweep } from '../../../src/store/sqlite/background.ts';
import type { Core } from '../../../src/store/sqlite/core.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { Condition, watchedFiles } from '../../../src/store/files/condition.ts';
import { Readers } from '../../../src/store/sqlite/readers.ts';
import { usualBudgets } from '../../../src/store/sqlite/budget.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { bytesOf, digestOf } from '../support/bytes-of.ts';
import { keptFiles } from '../support/kept-files.ts';
import { kept, openClinic, picture, shippedModel } from '../support/shipped.ts';
import { attachmentSteps } from '../support/verified.ts';

let model: Model;
let folder: string;
let file: string;
let store: Store;
let clinic: Partition;
const path = (name: string): string => bytesPath(file, 1, digestOf(bytesOf(name)));
const inTrash = (name: string): string => trashPath(file, 1, digestOf(bytesOf(name)));
/** All that is kept has been there for eight days longer. */
const age = (): Promise<void> => keptFiles.age(`sqlite:${file}`, 8 * 86_400_000);
const reopen = async (mode: 'serve' | 'read' | 'command'): Promise<void> => {
  await store.close();
  ({ store, clinic } = await openClinic(`sqlite:${file}`, model, { mode }));
};
/** Keeps the bytes of each name with a record of that name. */
const create = async (...names: string[]): Promise<void> => {
  for (const name of names)
    await clinic.write([picture(name, name, { attachments: [await kept(clinic, bytesOf(name))] })]);
};
const findings = async () => (await attachmentSteps(store, 'clinic')).flatMap(progress => progress.findings);

beforeAll(async () => {
  model = await shippedModel();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attachments-'));
  file = join(folder, 'records.sqlite');
  ({ store, clinic } = await openClinic(`sqlite:${file}`, model));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('the bytes of attachments', () => {
  it('lie beside the file, by partition and digest', async () => {
    await create('a');
    const digest = digestOf(bytesOf('a'));
    expect(readdirSync(join(folder, 'records.sqlite.attachments', '1', digest.slice(0, 2)))).toEqual([digest]);
  });

  it('that are damaged in length are written again when they come again', async () => {
    await create('a');
    writeFileSync(path('a'), 'short');
    await create('b', 'a');
    expect(await findings()).toEqual([]);
  });

  it('are verified: a missing, unreferenced or changed one is reported with its records', async () => {
    await create('fine', 'missing', 'size', 'digest');
    await clinic.write([picture('size', 'changed')]);
    rmSync(path('missing'));
    writeFileSync(path('size'), 'short');
    writeFileSync(path('digest'), bytesOf('digest').fill(1));
    await reopen('command');
    const orphan = await kept(clinic, bytesOf('orphan'));
    await age();
    await age();
    await kept(clinic, bytesOf('waits'));
    await reopen('read');
    const reported = (await findings()).map(({ is, digest, records }) => [is, digest, ...records].join(' '));
    expect(reported.toSorted()).toEqual([
      `digest ${digestOf(bytesOf('digest'))} Media/digest/_history/1`,
      `missing ${digestOf(bytesOf('missing'))} Media/missing/_history/1`,
      `orphan ${orphan.digest}`,
      `size ${digestOf(bytesOf('size'))} Media/size/_history/1 Media/size/_history/2`,
    ]);
  });

  it('without a record are swept at a start, and what a process was writing; nothing else is', async () => {
    await create('a');
    await kept(clinic, bytesOf('b'));
    writeFileSync(`${path('a')}.5b0c`, 'half');
    writeFileSync(join(dirname(path('a')), 'notes.txt'), 'somebody’s');
    await age();
    await reopen('command');
    expect([existsSync(path('b')), existsSync(inTrash('b'))]).toEqual([true, false]);
    await reopen('serve');
    expect([existsSync(path('b')), existsSync(inTrash('b'))]).toEqual([false, true]);
    expect(readdirSync(dirname(path('a'))).toSorted()).toEqual([digestOf(bytesOf('a')), 'notes.txt'].toSorted());
  });

  it('of a partition that is gone are swept too, those of one that never was here are not', async () => {
    const bytes = ['gone', 'foreign'].map((name, at) => bytesPath(file, at === 0 ? 2 : 99, digestOf(bytesOf(name))));
    await store.partitions.add('second', { zone: 'UTC' });
    await store.partitions.remove('second');
    for (const path of bytes) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'late');
    }
    for (const _ of [1, 2, 3]) {
      await age();
      await reopen('serve');
    }
    expect(readdirSync(`${file}.attachments`)).toEqual(['99']);
    expect(existsSync(bytes[1] ?? '')).toBe(true);
  });

  it('are gone with their partition, also those in the trash', async () => {
    await create('a', 'b');
    await kept(clinic, bytesOf('c'));
    await age();
    await reopen('serve');
    await kept(clinic, bytesOf('d'));
    expect(existsSync(inTrash('c'))).toBe(true);
    await store.partitions.remove('clinic');
    expect(readdirSync(`${file}.attachments`)).toEqual([]);
  });

  it('that are put again while a sweep runs are there for their record', async () => {
    const names = Array.from({ length: 25 }, (_, at) => `race ${at}`);
    for (const name of names) await kept(clinic, bytesOf(name));
    await age();
    await reopen('command');
    let isOver = false;
    const sweeping = sweepWith(
      core => byteSweep(core, [], 0),
      () => isOver,
    );
    await create(...names).finally(() => (isOver = true));
    await sweeping;
    await age();
    await reopen('serve');
    for (const name of names) expect(existsSync(path(name))).toBe(true);
    expect(await findings()).toEqual([]);
  });

  it('that stay without a record for long are deleted while the server runs', async () => {
    await create('a');
    await kept(clinic, bytesOf('old'));
    await age();
    await kept(clinic, bytesOf('young'));
    await store.close();
    await sweepWith(core => byteSweep(core, [], 0));
    expect(['a', 'old', 'young'].map(name => existsSync(path(name)))).toEqual([true, false, true]);
  });

  it('that a start has no time for are swept after it', async () => {
    await create('a');
    await kept(clinic, bytesOf('b'));
    await age();
    await store.close();
    const database = openDatabase(file, 'write');
    const known = knownAttachments(database);
    const unswept = sweepBytes(known, file, -1, sweep => database.transaction(sweep));
    expect(unswept).toEqual(bytesFolders(known, file));
    database.close();
    expect(existsSync(path('b'))).toBe(true);
    await sweepWith(core => byteSweep(core, unswept));
    expect(['a', 'b'].map(name => existsSync(path(name)))).toEqual([true, false]);
  });
});

/** Rounds over all folders, until there were enough. */
async function sweepWith(sweepOf: (core: Core) => () => Promise<boolean>, isEnough = () => true): Promise<void> {
  const core = coreOf();
  const sweep = sweepOf(core);
  do {
    for (const _ of bytesFolders(knownAttachments(core.database), file)) await sweep();
    await setImmediate();
  } while (!isEnough());
  await core.readers.close();
  await core.writer?.close();
  core.database.close();
}

function coreOf(): Core {
  const extract = createExtract(model);
  const condition = new Condition();
  return {
    path: file,
    options: { model, extract, now: Date.now, mode: 'command', deadline: 5_000 },
    budgets: usualBudgets,
    database: openDatabase(file, 'read'),
    condition,
    writer: new Writer({ path: file, mode: 'command', files: watchedFiles(file) }, condition),
    readers: new Readers({ path: file, readOnly: false }, 5_000, condition),
    known: new Map(),
    underWay: new Set(),
    views: { latest: undefined, changing: undefined },
  };
}

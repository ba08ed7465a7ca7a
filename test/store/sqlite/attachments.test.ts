import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createExtract } from '../../../src/indexing/extract.ts';
import type { Model } from '../../../src/model/model.ts';
import { bytesPath } from '../../../src/store/sqlite/attachment-files.ts';
import { bytesFolders, sweepBytes } from '../../../src/store/sqlite/attachment-sweep.ts';
import { ByteSweep } from '../../../src/store/sqlite/byte-sweep.ts';
import type { Core } from '../../../src/store/sqlite/core.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { Condition } from '../../../src/store/sqlite/condition.ts';
import { watchedFiles } from '../../../src/store/sqlite/file-watch.ts';
import { Readers } from '../../../src/store/sqlite/readers.ts';
import { schema } from '../../../src/store/sqlite/schema.ts';
import { usualBudgets } from '../../../src/store/sqlite/budget.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import type { Partition, Store } from '../../../src/store/store.ts';
import { bytesOf, digestOf } from '../support/bytes-of.ts';
import { list } from '../support/list.ts';
import { kept, openClinic, picture, shippedModel } from '../support/shipped.ts';

let model: Model;
let folder: string;
let file: string;
let store: Store;
let clinic: Partition;
const path = (name: string): string => bytesPath(file, 1, digestOf(bytesOf(name)));
const reopen = async (mode: 'serve' | 'read' | 'command'): Promise<void> => {
  await store.close();
  ({ store, clinic } = await openClinic(`sqlite:${file}`, model, { mode }));
};
/** Keeps the bytes of each name with a record of that name. */
const create = async (...names: string[]): Promise<void> => {
  for (const name of names)
    await clinic.write([picture(name, name, { attachments: [await kept(clinic, bytesOf(name))] })]);
};
const findings = async () => (await list(clinic.verifyAttachments())).flatMap(progress => progress.findings);

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

  it('have their tables in a store that was made before there were any', async () => {
    await store.close();
    file = join(folder, 'older.sqlite');
    const older = openDatabase(file, 'write');
    older.exec(`PRAGMA journal_mode = WAL; ${schema} PRAGMA application_id = 0x63727331; PRAGMA user_version = 1`);
    older.close();
    await expect(openClinic(`sqlite:${file}`, model, { mode: 'read' })).rejects.toThrow('start the server once');
    ({ store, clinic } = await openClinic(`sqlite:${file}`, model));
    await create('a');
    expect(await list(clinic.attachments('Media'))).toHaveLength(1);
  });

  it('that are damaged in length are written again when they come again', async () => {
    await create('a');
    writeFileSync(path('a'), 'short');
    await create('b', 'a');
    expect(await findings()).toEqual([]);
  });

  it('are verified: what is missing, too many, of another size or digest is told with who refers to it', async () => {
    await create('fine', 'missing', 'size', 'digest');
    await clinic.write([picture('size', 'changed')]);
    rmSync(path('missing'));
    writeFileSync(path('size'), 'short');
    writeFileSync(path('digest'), bytesOf('digest').fill(1));
    await reopen('command');
    const orphan = await kept(clinic, bytesOf('orphan'));
    await reopen('read');
    const told = (await findings()).map(({ is, digest, records }) => [is, digest, ...records].join(' '));
    expect(told.toSorted()).toEqual([
      `digest ${digestOf(bytesOf('digest'))} Media/digest/_history/1`,
      `missing ${digestOf(bytesOf('missing'))} Media/missing/_history/1`,
      `orphan ${orphan.digest}`,
      `size ${digestOf(bytesOf('size'))} Media/size/_history/1 Media/size/_history/2`,
    ]);
  });

  it('without a record are no finding while a server runs, since their record may still come', async () => {
    await kept(clinic, bytesOf('a'));
    expect(await findings()).toEqual([]);
    utimesSync(path('a'), 1, 1);
    expect(await findings()).toMatchObject([{ is: 'orphan' }]);
  });

  it('without a record are deleted at a start, and what a process was writing; nothing else is', async () => {
    await create('a');
    await kept(clinic, bytesOf('b'));
    writeFileSync(`${path('a')}.5b0c`, 'half');
    writeFileSync(join(dirname(path('a')), 'notes.txt'), 'somebody’s');
    const gone = bytesPath(file, 99, digestOf(bytesOf('a')));
    mkdirSync(dirname(gone), { recursive: true });
    writeFileSync(gone, 'of a partition that is gone');
    await reopen('command');
    expect(existsSync(path('b'))).toBe(true);
    await reopen('serve');
    expect(existsSync(path('b'))).toBe(false);
    expect(readdirSync(dirname(path('a'))).toSorted()).toEqual([digestOf(bytesOf('a')), 'notes.txt'].toSorted());
    expect(existsSync(join(`${file}.attachments`, '99'))).toBe(false);
  });

  it('are gone with their partition', async () => {
    await create('a', 'b');
    await store.partitions.remove('clinic');
    expect(readdirSync(`${file}.attachments`)).toEqual([]);
  });

  it('that stay without a record for long are deleted while the server runs', async () => {
    await create('a');
    await kept(clinic, bytesOf('old'));
    await kept(clinic, bytesOf('young'));
    utimesSync(path('a'), 1, 1);
    utimesSync(path('old'), 1, 1);
    await store.close();
    await sweepWith(core => new ByteSweep(core, [], 0));
    expect(['a', 'old', 'young'].map(name => existsSync(path(name)))).toEqual([true, false, true]);
  });

  it('that a start has no time for are deleted after it, but not those that come since', async () => {
    await create('a');
    await kept(clinic, bytesOf('before'));
    await kept(clinic, bytesOf('since'));
    const ago = Date.now() / 1_000 - 5;
    utimesSync(path('a'), ago, ago);
    utimesSync(path('before'), ago, ago);
    await store.close();
    const database = openDatabase(file, 'write');
    const unswept = sweepBytes(database, file, -1);
    database.close();
    expect(unswept).toEqual(bytesFolders(file));
    await sweepWith(core => new ByteSweep(core, unswept));
    expect(['a', 'before', 'since'].map(name => existsSync(path(name)))).toEqual([true, false, true]);
  });
});

/** One round over all folders. */
async function sweepWith(sweepOf: (core: Core) => ByteSweep): Promise<void> {
  const core = coreOf();
  const sweep = sweepOf(core);
  for (const _ of bytesFolders(file)) await sweep.step();
  await core.readers.close();
  await core.writer?.close();
  core.database.close();
}

function coreOf(): Core {
  const extract = createExtract(model, 'http://localhost:8080');
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
  };
}

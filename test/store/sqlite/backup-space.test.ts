import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBackupSource } from '../../../src/store/backup/open.ts';
import type { BackupSource, BackupStep } from '../../../src/store/backup/port.ts';
import { mountTmpfs } from '../../support/faults/faults.ts';
import { openDemo } from '../support/fixture.ts';

const tried = mountTmpfs(join(tmpdir(), `space-${process.pid}`), 4096);
const why = 'reason' in tried ? ` (left out: ${tried.reason})` : '';
if ('unmount' in tried) tried.unmount();

describe.skipIf(why !== '')(`a backup leaves space to the store${why}`, () => {
  let folder: string;
  let disk: ReturnType<typeof mountTmpfs>;
  let writing: DatabaseSync;
  let source: BackupSource;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-space-'));
    disk = mountTmpfs(join(folder, 'disk'), 8_000_000);
    const file = join(folder, 'disk', 'records.sqlite');
    const { store } = await openDemo(`sqlite:${file}`);
    await store.documents('things').put('large', 'x'.repeat(3_000_000));
    await store.close();
    writing = new DatabaseSync(file);
    source = await openBackupSource(`sqlite:${file}`);
  });
  afterEach(async () => {
    writing.close();
    source.close();
    if ('unmount' in disk) disk.unmount();
    await rm(folder, { recursive: true });
  });

  const backUp = (to: string, progress: (step: BackupStep) => void = () => {}): Promise<unknown> =>
    source.backup({ folder: join(folder, to), pace: Infinity, progress });

  it('where a copy on its disk would not find room', async () => {
    writing.exec('CREATE TABLE other AS SELECT zeroblob(2000000) AS bytes');
    await expect(backUp('disk/b')).rejects.toThrow(/The database takes \d+ bytes, but its disk has only \d+ left/);
    expect(existsSync(join(folder, 'disk', 'b'))).toBe(false);
  });

  it('where its WAL grows, which cannot be emptied until the database is copied', async () => {
    let written = false;
    const fill = ({ part }: BackupStep): void => {
      if (part !== 'database' || written) return;
      written = true;
      writing.exec('CREATE TABLE more AS SELECT zeroblob(2000000) AS bytes');
    };
    await expect(backUp('b', fill)).rejects.toThrow(/disk of .* is nearly full: its write-ahead log grows/);
    expect(existsSync(join(folder, 'b'))).toBe(false);
    // The store continues: the WAL can be emptied again.
    expect(writing.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toEqual({ busy: 0, log: 0, checkpointed: 0 });
  });
});

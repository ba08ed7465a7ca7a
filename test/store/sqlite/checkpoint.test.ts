import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Checkpoints } from '../../../src/store/sqlite/checkpoint.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';

// https://sqlite.org/wal.html#avoiding_excessively_large_wal_files

it('a read that lasts makes one commit wait, not each', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'checkpoint-'));
  const path = join(folder, 'records.sqlite');
  const writing = openDatabase(path, 'write');
  writing.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes)');
  const reading = openDatabase(path, 'readOnly');
  reading.exec('BEGIN; SELECT * FROM rows');
  // More pages than the WAL has before it is restarted.
  writing.run(
    'WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 17000) INSERT INTO rows ' +
      'SELECT n, zeroblob(8000) FROM n',
  );
  const run = vi.spyOn(writing, 'get');
  const checkpoints = new Checkpoints(writing, path, () => {});
  for (let commit = 0; commit < 5; commit += 1) {
    writing.run('INSERT INTO rows (bytes) VALUES (1)');
    checkpoints.afterCommit();
  }
  const restarts = run.mock.calls.filter(([text]) => text === 'PRAGMA wal_checkpoint(RESTART)');
  expect(restarts).toHaveLength(1);

  reading.exec('COMMIT');
  reading.close();
  checkpoints.afterCommit();
  expect(run.mock.results.at(-1)?.value).toEqual([0, expect.any(Number), expect.any(Number)]);
  checkpoints.atEnd();
  writing.close();
  await rm(folder, { recursive: true });
});

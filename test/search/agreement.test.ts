import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { agreement, type OpenStore } from './agreement.ts';

const openSqlite: OpenStore = async (model, extract, now) => {
  const folder = await mkdtemp(join(tmpdir(), 'agreement-'));
  const options = { model, extract, now, mode: 'serve', deadline: 60_000 } as const;
  const store = await openStore(`sqlite:${join(folder, 'records.sqlite')}`, options);
  return { store, remove: () => rm(folder, { recursive: true }) };
};

describe('SQLite agrees with the meaning of search', () => {
  describe('on a few resources', () => {
    agreement(openSqlite, { resources: 60, searches: Number(process.env['CRS_TEST_SEARCHES'] ?? 90) });
  });
  // More than are found on the event loop: reader workers answer some of the searches.
  describe('on more than the event loop looks at', () => {
    agreement(openSqlite, { resources: 2200, searches: 16 });
  });
});

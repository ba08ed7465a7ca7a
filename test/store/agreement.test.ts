import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Budgets, usualBudgets } from '../../src/store/sqlite/budget.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { agreement } from '../search/agreement.ts';

/** Every plan must find the same: with small budgets a few resources are planned for like many. */
const plans: readonly (readonly [title: string, budgets: Budgets])[] = [
  ['on the event loop', usualBudgets],
  [
    'where little is allowed on the event loop',
    { eventLoop: { probe: 3, rows: 9 }, reader: { probe: 20, rows: undefined } },
  ],
  ['where nothing is small', { eventLoop: { probe: 0, rows: 0 }, reader: { probe: 0, rows: undefined } }],
];

describe.each(plans)('SQLite %s', (_, budgets) => {
  agreement(
    async (model, extract, now) => {
      const folder = await mkdtemp(join(tmpdir(), 'agreement-'));
      const options = { model, extract, now, mode: 'serve', deadline: 20_000 } as const;
      const store = await openSqliteStore(join(folder, 'records.sqlite'), options, budgets);
      return { store, remove: () => rm(folder, { recursive: true }) };
    },
    {
      resources: Number(process.env['CRS_AGREEMENT_RESOURCES'] ?? 60),
      searches: Number(process.env['CRS_TEST_SEARCHES'] ?? 60),
    },
  );
});

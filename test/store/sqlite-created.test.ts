import { DatabaseSync } from 'node:sqlite';
import { describe } from 'vitest';
import { createdContract } from './contract-created.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  createdContract(newPlace, async url => {
    const database = new DatabaseSync(url.replace('sqlite:', ''));
    database.exec(`
      UPDATE resources SET ord = last_updated WHERE ord IS NOT NULL;
      UPDATE parameters SET digest = 'earlier';
      UPDATE meta SET value = '1:undated' WHERE key = 'definitions';
    `);
    database.close();
  });
});

import { DatabaseSync } from 'node:sqlite';
import { describe } from 'vitest';
import { upgradeContract } from './contract-upgrade.ts';
import { newPlace } from './support/fixture.ts';
import { placeSqlite3 } from './support/layouts.ts';

describe('a store in SQLite of layout 3', () => {
  upgradeContract(
    async () => {
      const place = await newPlace();
      await placeSqlite3(place.path);
      return place;
    },
    async url => {
      const database = new DatabaseSync(url.slice('sqlite:'.length));
      // A killed upgrade may have built all and not ended.
      database.exec(`
        CREATE TEMP TABLE old AS SELECT p, t, code, digest FROM parameters
          WHERE state = 'ready' AND code LIKE 'patient%' AND t = (SELECT t FROM types WHERE type = 'Condition');
        UPDATE parameters SET state = 'dropped' WHERE p IN (SELECT p FROM old);
        INSERT INTO parameters (t, code, digest, state) SELECT t, code, digest, 'pending' FROM old;
        INSERT OR REPLACE INTO meta VALUES ('upgrade', '');
        UPDATE meta SET value = value + 1 WHERE key = 'epoch';
      `);
      database.close();
    },
  );
});

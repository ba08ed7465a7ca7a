import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { describe } from 'vitest';
import { verifyContract } from './contract-verify.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  verifyContract({
    newPlace,
    async tamper({ url }) {
      const database = new DatabaseSync(url.slice('sqlite:'.length));
      const run = (sql: string, ...values: SQLInputValue[]): void => {
        if (Number(database.prepare(sql).run(...values).changes) === 0) throw new Error(`Nothing changed by ${sql}`);
      };
      const columns = { text: 'text', version: 'version', lastUpdated: 'last_updated', digest: 'digest' } as const;
      return {
        async version(id, older, fields) {
          for (const [name, value] of Object.entries(fields)) {
            const set = `SET ${columns[name as keyof typeof columns]} = ?`; // they are named so
            if (older === undefined) run(`UPDATE resources ${set} WHERE id = ?`, value, id);
            else run(`UPDATE versions ${set} WHERE id = ? AND version = ?`, value, id, older);
          }
        },
        contentType: async (id, type) => run('UPDATE attachments SET content_type = ? WHERE id = ?', type, id),
        entries: async id => run(`DELETE FROM terms WHERE id = ? AND v <> ''`, id),
        document: async (collection, key, text) =>
          run('UPDATE documents SET value = ? WHERE collection = ? AND key = ?', text, collection, key),
        zone: async (partition, zone) =>
          run('UPDATE partitions SET settings = ? WHERE id = ?', JSON.stringify({ zone }), partition),
        close: async () => database.close(),
      };
    },
  });
});

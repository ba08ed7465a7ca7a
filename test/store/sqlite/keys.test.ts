import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { openClinic, person, shippedModel } from '../support/shipped.ts';

it('keys that have expired are swept while the server runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  const file = join(folder, 'records.sqlite');
  let time = 1_000;
  const { store, clinic } = await openClinic(`sqlite:${file}`, await shippedModel(), { now: () => time });
  for (const [name, expires] of [
    ['short', 2_000],
    ['long', 9_000],
  ] as const)
    // prettier-ignore
    await clinic.write([person(name, name)], { key: { key: name, body: '', expires } });
  time = 5_000;
  const database = openDatabase(file, 'read');
  await expect.poll(() => database.all('SELECT key FROM keys'), { timeout: 20_000 }).toEqual([['long']]);
  database.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

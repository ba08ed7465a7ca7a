import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { layout, layouts } from '../../../src/store/sqlite/migrations.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { StoreRefused } from '../../../src/store/port/errors.ts';
import * as t from '../support/fixture.ts';

describe('the file', () => {
  let place: Awaited<ReturnType<typeof t.newPlace>>;
  beforeEach(async () => (place = await t.newPlace()));
  afterEach(() => place.remove());

  const change = (sql: string): void => {
    const database = new DatabaseSync(place.path);
    database.exec(sql);
    database.close();
  };

  it('is made with our layout, WAL and pages of 8 KB', async () => {
    await (await t.openDemo(place.url)).store.close();
    const database = openDatabase(place.path, 'read');
    const pragma = (name: string) => database.get(`PRAGMA ${name}`)?.[0];
    expect([pragma('user_version'), pragma('journal_mode'), pragma('page_size')]).toEqual([layout, 'wal', 8192]);
    database.close();
  });

  it.each([
    [layout + 1, /newer version/],
    [layouts.oldest - 1, /older version/],
  ])('of layout %i is refused in every mode, and left as it is', async (other, message) => {
    await (await t.openDemo(place.url)).store.close();
    change(`PRAGMA user_version = ${other}`);
    for (const mode of ['serve', 'command', 'read'] as const)
      await expect(t.openDemo(place.url, { mode })).rejects.toThrow(message);
    change(`PRAGMA user_version = ${layout}`);
    await (await t.openDemo(place.url)).store.close();
  });

  it('of something else is refused', async () => {
    change('CREATE TABLE theirs (a)');
    await expect(t.openDemo(place.url)).rejects.toThrow(/with other content/);
    await expect(t.openDemo(place.url)).rejects.toThrow(StoreRefused);
  });

  it('that is no database is refused', async () => {
    await writeFile(place.path, 'not a database, but long enough to be read as one'.repeat(30));
    await expect(t.openDemo(place.url)).rejects.toThrow(/not a database/);
  });

  it('is not made by `read`, nor by another scheme', async () => {
    await expect(t.openDemo(place.url, { mode: 'read' })).rejects.toThrow(StoreRefused);
    const options = { model: t.modelOf(), extract: t.extract, now: Date.now, mode: 'serve', deadline: 1000 } as const;
    await expect(openStore('postgres:x', options)).rejects.toThrow(StoreRefused);
  });

  it('is served by one process, and by the next as soon as that is killed', async () => {
    const child = fileURLToPath(new URL('../support/load-child.ts', import.meta.url));
    const server = spawn(process.execPath, [child, place.url, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(server.stdout, 'data');
    await expect(t.openDemo(place.url)).rejects.toThrow(/Another server runs/);
    server.kill('SIGKILL');
    await once(server, 'close');
    await (await t.openDemo(place.url)).store.close();
  });

  it('is made once when several processes open it at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, () => t.openDemo(place.url, { mode: 'command' })));
    await Promise.all(opened.map(({ demo }, at) => demo.write([t.put(`r${at}`)])));
    expect(await opened[0]?.demo.count(t.typeName, { kind: 'all' })).toBe(4);
    await Promise.all(opened.map(({ store }) => store.close()));
  });
});

import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { newPlace } from '../store/support/fixture.ts';
import * as t from '../store/support/fixture.ts';
import { list } from '../store/support/list.ts';
import { auditContract } from './contract.ts';
import { appendEvents, auditOf } from '../support/audit-of.ts';

const folderOf = (url: string): string => `${url.slice('sqlite:'.length)}.audit`;

describe('SQLite', () => {
  auditContract(
    { newPlace },
    {
      async change(url, chain, edit) {
        const names = readdirSync(folderOf(url)).map(name => name.replace(/\.ndjson$/, '')).sort(); // prettier-ignore
        if (chain === '') {
          edit(names);
          return;
        }
        const path = join(folderOf(url), `${chain}.ndjson`);
        const lines = edit(readFileSync(path, 'utf8').split('\n').slice(0, -1));
        if (lines.length === 0) rmSync(path);
        else writeFileSync(path, lines.map(line => `${line}\n`).join(''));
      },
    },
  );

  const open = (url: string): ReturnType<typeof openStore> =>
    openStore(url, { model: t.modelOf(), extract: t.extract, now: Date.now, mode: 'command', deadline: 20_000 });
  const event = { recorded: 0, partition: undefined, client: undefined, patients: [], text: '{"a":1}' };

  it('keeps files that their owner alone reads', { skip: process.platform === 'win32' }, async () => {
    const place = await newPlace();
    const store = await open(place.url);
    await appendEvents(store, [event]);
    const folder = folderOf(place.url);
    const [name = ''] = readdirSync(folder);
    expect([folder, join(folder, name)].map(path => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    await store.close();
    await place.remove();
  });

  it('continues beside a file with an incomplete end, and reports it', async () => {
    const place = await newPlace();
    const first = await open(place.url);
    await appendEvents(first, [event, event]);
    await first.close();
    const folder = folderOf(place.url);
    const [name = ''] = readdirSync(folder);
    truncateSync(join(folder, name), statSync(join(folder, name)).size - 5);
    const again = await open(place.url);
    await appendEvents(again, [event]);
    expect(await list(auditOf(again).list())).toHaveLength(2);
    expect(await list(auditOf(again).verify())).toEqual([{ chain: name.replace('.ndjson', ''), line: 2, is: 'torn' }]);
    await again.close();
    await place.remove();
  });
});

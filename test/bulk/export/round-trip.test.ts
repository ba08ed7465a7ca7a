// `export` and `load` of its folder: the same records in another store, attachments included.
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../../src/fhir/resource-text.ts';
import type { KeptVersion } from '../../../src/store/port/transfer.ts';
import { inOneProcess } from '../../cli/one-process.ts';
import { moreDefinitions, open, partitionOf } from '../../support/filled-store.ts';

function put(resource: { readonly resourceType: string; readonly id: string; readonly [more: string]: unknown }) {
  const { resourceType: type, id } = resource;
  return { kind: 'put', type, id, text: splitForStamp(JSON.stringify(resource), id) } as const;
}

describe('a store that is exported and loaded', () => {
  const run = inOneProcess();
  let folder: string;
  let from: readonly string[];
  let to: readonly string[];
  const url = (name: string): string => `sqlite:${join(folder, name)}`;
  const out = (name: string): string => join(folder, name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crs-taken-'));
    const store = await open(url('from.sqlite'), 'serve');
    await store.partitions.add('clinic', { zone: 'America/Toronto' });
    const clinic = await partitionOf(store, 'clinic');
    const picture = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200_000, 'picture')]);
    const attachment = {
      path: 'Media.content.data',
      contentType: 'image/jpeg',
      ...(await clinic.putAttachment(picture)),
    };
    const media = put({
      resourceType: 'Media',
      id: 'm',
      status: 'completed',
      subject: { reference: 'Patient/p1' },
      content: { contentType: 'image/jpeg', title: 'A "picture"' },
    });
    const patients = Array.from({ length: 300 }, (_, at) =>
      put({ resourceType: 'Patient', id: `p${at}`, name: [{ family: `É ${at}` }] }),
    );
    await clinic.write([...patients, { ...media, attachments: [attachment] }]);
    await store.close();
    const common = ['--partition', 'clinic', '--definitions', moreDefinitions];
    from = [...common, '--store', url('from.sqlite')];
    to = [...common, '--store', url('to.sqlite')];
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const current = async (name: string): Promise<ReadonlyMap<string, unknown>> => {
    const store = await open(url(name));
    const found = new Map<string, KeptVersion>();
    for await (const version of (await partitionOf(store, 'clinic')).export())
      found.set(`${version.type}/${version.id}`, version);
    await store.close();
    const there = [...found].filter(([, { text }]) => text !== undefined);
    const withoutMeta = (text = '{}') => ({ ...(JSON.parse(text) as object), meta: undefined });
    return new Map(there.map(([key, { text, attachments }]) => [key, [withoutMeta(text), attachments]]));
  };

  it('has the same records, in files for their owner only, and their changes later', async () => {
    const exported = await run(['export', ...from, '--out', out('all')]);
    expect([exported.code, exported.stdout]).toEqual([0, expect.stringMatching(/records written to /)]);
    expect(statSync(out('all')).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(out('all'))) expect(statSync(join(out('all'), name)).mode & 0o777).toBe(0o600);
    await run(['partition', 'add', 'clinic', '--zone', 'America/Toronto', ...to.slice(2)]);
    const loaded = await run(['load', ...to, out('all')]);
    expect([loaded.code, loaded.stderr]).toEqual([0, expect.not.stringContaining('rejected')]);
    expect(await current('to.sqlite')).toEqual(await current('from.sqlite'));

    const { transactionTime } = JSON.parse(readFileSync(join(out('all'), 'manifest.json'), 'utf8'));
    const store = await open(url('from.sqlite'), 'serve');
    await (await partitionOf(store, 'clinic')).write([{ kind: 'remove', type: 'Patient', id: 'p7' }]);
    await store.close();
    const changes = await run(['export', ...from, '--out', out('changes'), '--since', String(transactionTime)]);
    expect(changes.stdout).toMatch(/^0 records/);
    expect(readdirSync(out('changes'))).toEqual(['deleted', 'manifest.json']);
    expect((await run(['load', ...to, out('changes')])).code).toBe(0);
    expect(await current('to.sqlite')).toEqual(await current('from.sqlite'));
  });

  it.each([
    ['a folder with files', ['--out', '.'], /has files/],
    ['an unknown type', ['--out', 'x', '--type', 'Patient,Foo'], /`Foo` is not declared/],
    ['no instant', ['--out', 'x', '--since', '2024'], /seconds and a zone/],
    ['no folder', [], /`--out` is missing/],
  ])('is not exported with %s', async (_why, flags, text) => {
    const refused = await run(['export', ...from, ...flags]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(text);
  });
});

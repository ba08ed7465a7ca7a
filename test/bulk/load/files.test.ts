import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { current } from '../../store/support/current.ts';
import { patient, bundle, put } from '../support/texts.ts';
import { type Target, counts, none, openTarget } from '../support/target.ts';

// A load reads the files of a folder, and writes what it rejects into one.

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

describe('load', () => {
  it('reads folders, gzip, Bundles and stdin', async () => {
    target.file('1.ndjson.gz', gzipSync(`${patient('a')}\n`));
    target.file('2.json', bundle('collection', `{"fullUrl":"http://x/Patient/b","resource":${patient('b')}}`));
    target.file('3.json.gz', gzipSync(bundle('searchset', `{"resource":${patient('c')},"search":{"mode":"match"}}`)));
    target.file('4.json', `{\n  "resourceType": "Patient",\n  "id": "d"\n}\n`);
    target.file('5.ndjson', `${bundle('batch', put(patient('e'), 'Patient/e'))}\n${patient('f')}`);
    const result = await target.load([target.folder, '-'], {}, gzipSync(`${patient('g')}\n${patient('h')}\n`));
    expect(counts(result)).toEqual({ ...none, records: 8, created: 8 });
    expect(result).toMatchObject({ done: true, secondsLeft: 0, totalBytes: undefined, file: '-' });
    const ids: string[] = [];
    for await (const { id } of current(target.partition, 'Patient')) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('does not read its own rejects', async () => {
    target.file('a.ndjson', '{"resourceType":"Pateint"}\n');
    for (const _ of [1, 2]) expect(await target.load([target.folder])).toMatchObject({ records: 1, rejected: 1 });
  });

  it('does not write its rejects over anything else', async () => {
    const records = `${patient('a')}\n{"resourceType":"Pateint"}\n`;
    const path = target.file('a.ndjson', records);
    for (const paths of [[path], [target.folder]])
      await expect(target.load(paths, { rejects: path })).rejects.toThrow(
        `\`${path}\` has other content than rejected records`,
      );
    expect(readFileSync(path, 'utf8')).toBe(records);
  });
});

it.skipIf(process.platform === 'win32')(
  'names symbolic links in a folder and does not follow them (a right on Windows)',
  async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outside, 'x.ndjson'), patient('x'));
    mkdirSync(join(target.folder, 'in'));
    writeFileSync(join(target.folder, 'in', 'a.ndjson'), patient('a'));
    symlinkSync(join(outside, 'x.ndjson'), join(target.folder, 'in', 'b.ndjson'));
    symlinkSync(outside, join(target.folder, 'in', 'c'));
    symlinkSync(join(outside, 'x.ndjson'), join(target.folder, 'in', 'd.txt'));
    const result = await target.load([join(target.folder, 'in')]);
    expect(counts(result)).toEqual({ ...none, records: 1, created: 1 });
    expect(result.links).toEqual([join(target.folder, 'in', 'b.ndjson'), join(target.folder, 'in', 'c')]);
    // Whoever names a link means what it leads to.
    expect(await target.load([join(target.folder, 'in', 'b.ndjson')])).toMatchObject({ created: 1, links: [] });
    rmSync(join(target.folder, 'in', 'a.ndjson'));
    await expect(target.load([join(target.folder, 'in')])).rejects.toThrow(
      /has no file that ends in .*; links in it are not followed/,
    );
    rmSync(outside, { recursive: true });
  },
);

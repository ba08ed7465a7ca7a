import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDiskCache } from '../../src/definitions/disk-cache.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'disk-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const hello = Buffer.from('hello');
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a cache on disk', () => {
  it('gives back what was written, to its owner only', () => {
    const folder = join(emptyFolder(), 'a', 'b');
    const cache = openDiskCache([folder]);
    expect(cache?.read('key')).toBeUndefined();
    cache?.write('key', hello);
    expect(openDiskCache([folder])?.read('key')?.toString()).toBe('hello');
    expect([modeOf(folder), modeOf(join(folder, 'key'))]).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  it.each<[string, (path: string) => void]>([
    ['changed', path => writeFileSync(path, readFileSync(path, 'latin1').replace('hello', 'hullo'))],
    ['cut off', path => writeFileSync(path, readFileSync(path).subarray(0, -1))],
    ['empty', path => writeFileSync(path, '')],
    ['writable by others', path => chmodSync(path, 0o666)],
    [
      'a link',
      path => {
        writeFileSync(`${path}.other`, readFileSync(path), { mode: 0o600 });
        rmSync(path);
        symlinkSync(`${path}.other`, path);
      },
    ],
    [
      'a folder',
      path => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('takes a file that is %s for none', (_what, harm) => {
    const folder = join(emptyFolder(), 'cache');
    const cache = openDiskCache([folder]);
    cache?.write('key', hello);
    harm(join(folder, 'key'));
    expect(cache?.read('key')).toBeUndefined();
  });

  it('uses the first folder that is for its owner only', () => {
    const folder = emptyFolder();
    const [open, linked, file, own] = ['open', 'linked', 'file', 'own'].map(name => join(folder, name));
    mkdirSync(String(open));
    chmodSync(String(open), 0o777);
    mkdirSync(join(folder, 'target'), { mode: 0o700 });
    symlinkSync(join(folder, 'target'), String(linked));
    writeFileSync(String(file), '');
    openDiskCache([open, linked, file, own].map(String))?.write('key', hello);
    expect(readdirSync(String(own))).toEqual(['key']);
    expect(openDiskCache([open, linked, file].map(String))).toBeUndefined();
  });

  it('keeps those that were used last', async () => {
    const folder = join(emptyFolder(), 'cache');
    const cache = openDiskCache([folder], 2);
    for (const key of ['a', 'b', 'c']) {
      cache?.write(key, hello);
      await new Promise(resolve => setTimeout(resolve, 10));
      cache?.read('a');
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    expect(readdirSync(folder).toSorted()).toEqual(['a', 'c']);
  });

  it('keeps no more bytes than it may', async () => {
    const folder = join(emptyFolder(), 'cache');
    const cache = openDiskCache([folder], 10, 250);
    for (const key of ['a', 'b', 'c', 'd']) {
      cache?.write(key, Buffer.alloc(40)); // and a digest of 64
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    expect(readdirSync(folder).toSorted()).toEqual(['c', 'd']);
  });
});

import { describe, expect, it } from 'vitest';
import { readTar } from '../../src/definitions/tar.ts';
import type { TarLimits } from '../../src/definitions/tar.ts';
import { tar } from '../support/definition-files.ts';
import type { TarEntry } from '../support/definition-files.ts';

// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(archive: Buffer, limits?: TarLimits, piece = 700): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, bytes } of readTar(inPieces(archive, piece), () => true, limits))
    found[name] = bytes.toString();
  return found;
}

const small: TarLimits = { entries: 2, entryBytes: 1000, totalBytes: 4096 };

describe('readTar', () => {
  it.each([1, 511, 512, 513, 100_000])('reads files whatever the pieces are (%i bytes)', async piece => {
    const archive = tar([
      { name: 'package/', type: '5' },
      { name: 'package/a.json', content: '{"a":1}' },
      { name: 'package/empty.json' },
      { name: 'package/b.json', content: 'b'.repeat(512) },
    ]);
    expect(await read(archive, undefined, piece)).toEqual({
      'package/a.json': '{"a":1}',
      'package/empty.json': '',
      'package/b.json': 'b'.repeat(512),
    });
  });

  it('takes long names from pax and GNU headers', async () => {
    const long = `package/${'n'.repeat(150)}.json`;
    const record = (length: number): string => `${length} path=${long}\n`;
    const pax = record(record(100).length);
    const entries: TarEntry[] = [
      { name: 'PaxHeader', type: 'x', content: pax },
      { name: 'short', content: 'pax' },
      { name: '././@LongLink', type: 'L', content: `${long}2\0` },
      { name: 'short', content: 'gnu' },
      { name: 'plain', content: 'own' },
    ];
    expect(await read(tar(entries))).toEqual({ [long]: 'pax', [`${long}2`]: 'gnu', plain: 'own' });
  });

  it('omits the `./` with which `tar -cz ./package` begins each name', async () => {
    expect(await read(tar([{ name: './package/a.json', content: 'own' }]))).toEqual({ 'package/a.json': 'own' });
  });

  it.each<[string, TarEntry[], string]>([
    [
      'a symbolic link',
      [{ name: 'package/a', type: '2' }],
      'The entry "package/a" is a link; packages hold plain files.',
    ],
    ['a hard link', [{ name: 'package/a', type: '1' }], 'The entry "package/a" is a link; packages hold plain files.'],
    [
      'a device',
      [{ name: 'package/a', type: '3' }],
      'The entry "package/a" is neither a file nor a folder (type "3").',
    ],
    ['an absolute path', [{ name: '/etc/a.json' }], 'The entry "/etc/a.json" has an absolute path.'],
    ['a drive', [{ name: 'C:\\a.json' }], 'The entry "C:\\\\a.json" has an absolute path.'],
    ['a way out', [{ name: 'package/../../a' }], 'The entry "package/../../a" leads out of the package by `..`.'],
    [
      'a way out backwards',
      [{ name: 'package\\..\\a' }],
      'The entry "package\\\\..\\\\a" leads out of the package by `..`.',
    ],
    [
      'a way out in a long name',
      [{ name: 'x', type: 'L', content: '../a' }, { name: 'a' }],
      'The entry "../a" leads out of the package by `..`.',
    ],
    [
      'too many entries',
      [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      'The package has more than 2 entries; "c" is one too many.',
    ],
    ['an entry too large', [{ name: 'big', size: 1001 }], 'The entry "big" is larger than 1000 bytes.'],
    ['an end too early', [{ name: 'cut', content: '', size: 900 }], 'The package ends in the middle of "cut".'],
    [
      'a size of its own',
      [{ name: 'x', type: 'x', content: '12 size=999\n' }],
      'A pax header gives a size of its own, which is not accepted.',
    ],
  ])('refuses %s', async (_what, entries, message) => {
    const archive = tar(entries);
    await expect(read(entries[0]?.name === 'cut' ? archive.subarray(0, 1000) : archive, small)).rejects.toThrow(
      message,
    );
  });

  it('refuses more than the limit in all', async () => {
    const archive = tar([
      { name: 'a', content: 'x'.repeat(900) },
      { name: 'b', content: 'x'.repeat(900) },
    ]);
    await expect(read(archive, { ...small, totalBytes: 2048 })).rejects.toThrow(
      'The package is larger than 2048 bytes in all, at ',
    );
  });

  it('refuses what is no archive', async () => {
    await expect(read(Buffer.from('<html>'.repeat(200)))).rejects.toThrow(
      'The file is not a tar archive, or it is damaged',
    );
  });
});

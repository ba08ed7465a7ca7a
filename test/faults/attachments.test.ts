// A disk that fails while the bytes of an attachment are kept: no half of them under their name, and nothing
// acknowledged.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesPath } from '../../src/store/files/attachments.ts';
import { environment, run } from '../cli/process.ts';
import { digestOf } from '../store/support/bytes-of.ts';
import { media, png } from '../support/media.ts';
import { createFaults, type Fault, type Faults, noFaults, unlessFaults } from '../support/faults/faults.ts';

const program = fileURLToPath(new URL('support/put-child.ts', import.meta.url));
it.skipIf(noFaults !== undefined)(`an export leaves no half file where a call fails${unlessFaults}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const faults = createFaults(folder);
  const store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`];
  const record = join(folder, 'media.json');
  writeFileSync(record, JSON.stringify(media({ id: 'm1' }, { data: png(1_000_000).toString('base64') })));
  await run(['partition', 'add', 'clinic', ...store]);
  expect((await run(['load', record, ...store])).code).toBe(0);
  const out = join(folder, 'out');
  const args = ['attachment', 'export', '--type', 'Media', '--out', out, ...store];
  for (const [name, skip] of [
    ['Media-m1.json', 0],
    ['Media-m1.png', 3],
  ] as const) {
    faults.set({ operation: 'write', error: 'ENOSPC', path: name, skip });
    expect((await run(args, { env: faults.env })).stderr).toContain('ENOSPC');
    expect(readdirSync(out)).not.toContain(name);
    rmSync(join(out, 'Media-m1.json'), { force: true });
  }
  faults.set();
  expect(await run(args)).toMatchObject({ code: 0 });
  expect(readdirSync(out).toSorted()).toEqual(['Media-m1.json', 'Media-m1.png']);
  rmSync(folder, { recursive: true });
});

/** Bytes: written by several calls. */
const size = 1_500_000;
const bytesOf = (kind: string): Buffer => Buffer.alloc(size, kind);

describe.skipIf(noFaults !== undefined)(`bytes of an attachment, where a call fails${unlessFaults}`, () => {
  let folder: string;
  let file: string;
  let faults: Faults;
  let child: ChildProcessWithoutNullStreams;
  let lines: AsyncIterator<string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'faults-'));
    file = join(folder, 'records.sqlite');
    faults = createFaults(folder);
    child = spawn(process.execPath, [program, `sqlite:${file}`], { env: { ...environment(), ...faults.env } });
    child.stderr.pipe(process.stderr);
    lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    await lines.next(); // it is ready
  });
  afterAll(async () => {
    child.stdin.end();
    await once(child, 'close');
    rmSync(folder, { recursive: true });
  });

  /** What came of putting these bytes. */
  const put = async (kind: string): Promise<string> => {
    child.stdin.write(`${kind} ${size}\n`);
    return String((await lines.next()).value);
  };
  /** The files that are kept; each must be what its name says. */
  const kept = (): readonly string[] => {
    const entries = readdirSync(`${file}.attachments`, { recursive: true, withFileTypes: true });
    const found = entries.filter(entry => entry.isFile());
    for (const { parentPath, name } of found) expect(digestOf(readFileSync(join(parentPath, name)))).toBe(name);
    return found.map(({ name }) => name);
  };
  /** Has calls fail on what is made while these bytes are put. */
  const failing = (fault: Pick<Fault, 'operation' | 'error' | 'skip'>, path: string): number => {
    faults.set({ ...fault, path });
    return faults.fired().length;
  };

  it.each([
    ['a', { operation: 'open', error: 'EMFILE' }, 'transient'],
    ['b', { operation: 'write', error: 'EIO' }, 'no-store'],
    ['c', { operation: 'write', error: 'ENOSPC' }, 'no-store'],
    ['d', { operation: 'write', error: 'ENOSPC', skip: 1 }, 'no-store'],
    ['e', { operation: 'fsync', error: 'EIO' }, 'no-store'],
    ['f', { operation: 'fsync', error: 'ENOSPC' }, 'no-store'],
  ] as const)('%s: %j leaves nothing, and they are kept when the disk is well', async (kind, fault, reason) => {
    const digest = digestOf(bytesOf(kind));
    await put('warm'); // the folder of all bytes is there
    const fired = failing(fault, `${digest}.`);
    expect(await put(kind)).toBe(`failed ${reason}`);
    expect(faults.fired().length).toBeGreaterThan(fired);
    expect(kept()).not.toContain(digest);
    faults.set();
    expect(await put(kind)).toBe(`kept ${digest}`);
    expect(kept()).toContain(digest);
  });

  it('are not acknowledged while the names of their folders are not on the disk', async () => {
    const digest = digestOf(bytesOf('g'));
    for (const above of [digest.slice(0, 2), '.attachments/1', '.attachments']) {
      failing({ operation: 'fsync', error: 'EIO' }, `${above}$`);
      for (const _ of [1, 2]) expect(await put('g')).toBe('failed no-store');
      kept();
    }
    faults.set();
    expect(await put('g')).toBe(`kept ${digest}`);
  });

  it('that are damaged stay as they are until they are written whole', async () => {
    const digest = digestOf(bytesOf('h'));
    await put('h');
    const path = bytesPath(file, 1, digest);
    writeFileSync(path, 'damaged');
    failing({ operation: 'fsync', error: 'EIO' }, `${digest}.`);
    expect(await put('h')).toBe('failed no-store');
    expect(readFileSync(path, 'utf8')).toBe('damaged');
    faults.set();
    expect(await put('h')).toBe(`kept ${digest}`);
    expect(kept()).toContain(digest);
  });

  it('that cannot be read are written again', async () => {
    const digest = digestOf(bytesOf('i'));
    await put('i');
    const fired = failing({ operation: 'read', error: 'EIO' }, `${digest}$`);
    expect(await put('i')).toBe(`kept ${digest}`);
    expect(faults.fired().length).toBeGreaterThan(fired);
    faults.set();
    expect(kept()).toContain(digest);
  });
});

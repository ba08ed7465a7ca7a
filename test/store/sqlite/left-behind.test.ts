import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Model } from '../../../src/model/model.ts';
import { bytesPath } from '../../../src/store/files/attachments.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { StoreRefused } from '../../../src/store/port/errors.ts';
import { bytesOf, digestOf } from '../support/bytes-of.ts';
import { keptFiles } from '../support/kept-files.ts';
import { kept, openClinic, picture, shippedModel } from '../support/shipped.ts';

let model: Model;
let folder: string;
let file: string;
const open = (mode: 'serve' | 'command' = 'serve') => openClinic(`sqlite:${file}`, model, { mode });
const bytes = (): string => bytesPath(file, 1, digestOf(bytesOf('a')));
const write = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'left');
};

beforeAll(async () => {
  model = await shippedModel();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'left-behind-'));
  file = join(folder, 'records.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a store whose bytes are gone says so when it is opened', async () => {
  const notices: string[] = [];
  const opened = async () => openClinic(`sqlite:${file}`, model, { notice: text => notices.push(text) });
  const { store, clinic } = await opened();
  await clinic.write([picture('a', 'a', { attachments: [await kept(clinic, bytesOf('a'))] })]);
  await store.close();
  await (await opened()).store.close();
  expect(notices).toEqual([]);
  rmSync(`${file}.attachments`, { recursive: true });
  await (await opened()).store.close();
  mkdirSync(`${file}.attachments`, { mode: 0o700 }); // where its disk is mounted otherwise
  await (await opened()).store.close();
  const away = expect.stringContaining(`none are in \`${file}.attachments\`: mount its disk, or restore it.`) as string;
  expect(notices).toEqual([away, away]);
});

describe('a store whose file is gone', () => {
  it('is not created again beside its bytes, which are still there when the file is back', async () => {
    const { store, clinic } = await open();
    await clinic.write([picture('a', 'a', { attachments: [await kept(clinic, bytesOf('a'))] })]);
    await store.close();
    await keptFiles.age(`sqlite:${file}`, 30 * 86_400_000);
    renameSync(file, join(folder, 'away'));
    const names = readdirSync(folder);
    for (const mode of ['serve', 'command'] as const) {
      await expect(open(mode)).rejects.toThrow(StoreRefused);
      await expect(open(mode)).rejects.toThrow(
        `There is no store at \`${file}\`, but remains of one are beside it: \`${file}.attachments\`.`,
      );
      await expect(open(mode)).rejects.toThrow(`\`mv ${file}.attachments ELSEWHERE\``);
    }
    expect(readdirSync(folder)).toEqual(names);
    renameSync(join(folder, 'away'), file);
    await (await open()).store.close();
    expect(existsSync(bytes())).toBe(true);
  });

  it.each([
    ['bytes of attachments', '.attachments/1/ab/abcd'],
    ['audit events', '.audit/2026-01-01T000000.000Z-01234567.ndjson'],
    ['a write-ahead log', '-wal'],
  ])('is not created again beside %s', async (_, name) => {
    write(`${file}${name}`);
    await expect(open()).rejects.toThrow(StoreRefused);
    writeFileSync(file, '');
    await expect(open()).rejects.toThrow(`\`${file}${name.split('/')[0]}\``);
    expect(existsSync(`${file}${name}`)).toBe(true);
  });

  it('is made beside folders in which nothing is', async () => {
    mkdirSync(`${file}.attachments`);
    mkdirSync(`${file}.audit`);
    writeFileSync(`${file}-wal`, '');
    const { store, clinic } = await open();
    expect(await clinic.write([picture('a', 'a')])).toMatchObject([{ outcome: 'created' }]);
    await store.close();
  });

  it('is not made in a database without tables either', async () => {
    write(bytes());
    const database = openDatabase(file, 'write');
    database.exec('PRAGMA journal_mode = WAL');
    database.close();
    await expect(open()).rejects.toThrow(`\`${file}.attachments\``);
  });
});

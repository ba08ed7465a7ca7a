import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBackupSource } from '../../../src/store/backup/open.ts';
import { chainName, printLines } from '../../../src/store/audit/line.ts';
import type { AuditRecord } from '../../../src/store/audit/line.ts';
import { chainPath } from '../../../src/store/files/audit.ts';
import { attachmentsFolder, bytesPath } from '../../../src/store/files/attachments.ts';
import { layout } from '../../../src/store/sqlite/migrations.ts';
import { everything, open } from '../../support/filled-store.ts';
import { below, events, eventsOf, filled, template } from '../support/backups.ts';
import type { Filled } from '../support/backups.ts';

// https://sqlite.org/backup.html

let folder: string;
let store: Filled;
beforeAll(async () => (folder = await template()));
beforeEach(async () => (store = await filled(folder)));
afterEach(() => store.remove());
afterAll(() => rm(folder, { recursive: true }));

const databaseOf = (name: string): string => join(store.at(name), 'records.sqlite');

/** The attachments that records of a partition reference, by digest. */
function digests(file: string): readonly { readonly n: number; readonly digest: string }[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('SELECT DISTINCT n, digest FROM attachments ORDER BY size').all();
  database.close();
  return rows as unknown as readonly { n: number; digest: string }[];
}

describe('a backup', () => {
  it('restores to a store that holds the same, with its audit log', async () => {
    const { manifest, findings } = await store.backUp('b');
    expect(findings).toEqual([]);
    expect(await store.restore('b')).toEqual({ manifest, findings: [] });
    expect(await everything(`sqlite:${store.at('b.sqlite')}`)).toEqual(await everything(store.url));
    expect(await eventsOf(store.at('b.sqlite'))).toEqual(['first', 'second']);
  });

  it('says in its manifest what it holds and what it does not', async () => {
    const before = Date.now();
    const { manifest } = await store.backUp('b');
    expect(JSON.parse(await readFile(join(store.at('b'), 'backup.json'), 'utf8'))).toEqual(manifest);
    expect(Date.parse(manifest.time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(manifest.time)).toBeLessThanOrEqual(Date.now());
    expect(manifest).toMatchObject({
      version: 1,
      layout,
      database: { partitions: 3, size: statSync(databaseOf('b')).size },
      attachments: { files: 2, size: 3_005_000 },
      audit: [{ chain: expect.any(String) as string }],
      notIncluded: expect.arrayContaining(['key file', 'accounts file']) as string[],
    });
  });

  it('has commits that are in the WAL alone, and nothing that is committed while it is made', async () => {
    const serving = await open(store.url, 'serve');
    await serving.documents('things').put('large', 'x'.repeat(3_000_000));
    await serving.documents('things').put('late', 1);
    let changed = false;
    await store.backUp('b', {
      progress({ part, done, of }) {
        if (part !== 'database' || done === of || changed) return;
        changed = true; // by another connection, between two steps
        store.change(store.file, `DELETE FROM documents WHERE key = 'late'; UPDATE documents SET value = '2'`);
      },
    });
    expect([changed, await serving.documents('things').get('late')]).toEqual([true, undefined]);
    await serving.close();
    await store.restore('b');
    const restored = await open(`sqlite:${store.at('b.sqlite')}`);
    expect(await restored.documents('things').get('late')).toBe(1);
    await restored.close();
  });

  it('is for its owner alone, and so is what is restored', { skip: process.platform === 'win32' }, async () => {
    await store.backUp('b');
    await store.restore('b', `sqlite:${store.at('r/records.sqlite')}`);
    for (const folder of [store.at('b'), store.at('r')]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      const open = below(folder).filter(({ mode, ino }) => mode !== (ino === 0 ? 0o700 : 0o600));
      expect(open.map(({ name }) => name).filter(name => !name.endsWith('.lock'))).toEqual([]);
    }
  });

  it('leaves out bytes that no record refers to, and other files', async () => {
    const [{ n, digest }] = digests(store.file) as [{ n: number; digest: string }];
    const loose = bytesPath(
      store.file,
      n,
      digest.replace(/.$/, last => (last === '0' ? '1' : '0')),
    );
    copyFileSync(bytesPath(store.file, n, digest), loose);
    await mkdir(join(attachmentsFolder(store.file), 'trash'));
    await writeFile(join(attachmentsFolder(store.file), 'trash', digest), 'swept');
    await store.backUp('b');
    const names = below(store.at('b')).flatMap(({ name, ino }) => (ino === 0 ? [] : [name.split('/').at(-1) ?? '']));
    const kept = digests(store.file).map(one => one.digest);
    expect(names.filter(name => !name.endsWith('.ndjson')).toSorted()).toEqual(
      ['backup.json', 'records.sqlite', ...kept].toSorted(),
    );
  });
});

describe('an incremental backup', () => {
  it('links attachments and finished audit files to the older one, which may be removed', async () => {
    await store.backUp('old');
    await events(store.file, 'third');
    const { linked, manifest } = await store.backUp('new', { previous: store.at('old') });
    expect([linked, manifest.audit.length]).toEqual([2, 2]);
    const inOld = new Set(below(store.at('old')).map(({ ino }) => ino));
    const own = below(store.at('new')).filter(({ ino }) => !inOld.has(ino));
    const third = `records.sqlite.audit/${manifest.audit.at(-1)?.chain}.ndjson`;
    expect(own.map(({ name }) => name).toSorted()).toEqual(['backup.json', 'records.sqlite', third]);
    await rm(store.at('old'), { recursive: true });
    expect((await store.restore('new')).findings).toEqual([]);
    expect(await everything(`sqlite:${store.at('new.sqlite')}`)).toEqual(await everything(store.url));
    expect(await eventsOf(store.at('new.sqlite'))).toEqual(['first', 'second', 'third']);
  });

  it('copies again what is damaged in the older one, and leaves that as it is', async () => {
    await store.backUp('old');
    const [one, other] = digests(store.file) as [{ n: number; digest: string }, { n: number; digest: string }];
    const damaged = bytesPath(databaseOf('old'), one.n, one.digest);
    writeFileSync(damaged, 'x'.repeat(5_000));
    const { linked, findings } = await store.backUp('new', { previous: store.at('old') });
    expect([linked, findings]).toEqual([2, []]);
    const inoOf = (name: string, { n, digest }: typeof one): number =>
      statSync(bytesPath(databaseOf(name), n, digest)).ino;
    expect(inoOf('new', one)).not.toBe(inoOf('old', one));
    expect(inoOf('new', other)).toBe(inoOf('old', other));
    expect(readFileSync(damaged, 'utf8')).toBe('x'.repeat(5_000));
  });

  it('that is interrupted leaves the older one as it is', async () => {
    await store.backUp('old');
    const before = below(store.at('old'));
    const progress = ({ part }: { readonly part: string }): void => {
      if (part === 'attachments check') throw new Error('interrupted');
    };
    await expect(store.backUp('new', { previous: store.at('old'), progress })).rejects.toThrow('interrupted');
    expect(below(store.at('old'))).toEqual(before);
    expect((await store.restore('old')).findings).toEqual([]);
  });

  it('needs a whole older one', async () => {
    await expect(store.backUp('new', { previous: store.at('nothing') })).rejects.toThrow(/no `backup.json`/);
    expect(existsSync(store.at('new.partial'))).toBe(false);
  });
});

describe('an interrupted backup', () => {
  it.each(['database', 'attachments', 'audit', 'database digest', 'database check', 'attachments check'] as const)(
    'by an error in the %s is none, and is done by the next run',
    async part => {
      const fail = (step: { readonly part: string }): void => {
        if (step.part === part) throw new Error('interrupted');
      };
      await expect(store.backUp('b', { progress: fail })).rejects.toThrow('interrupted');
      expect(existsSync(store.at('b'))).toBe(false);
      await expect(store.restore('b')).rejects.toThrow(/not a whole backup.*b\.partial` is what an interrupted run/);
      const left = new Set(below(store.at('b.partial')).map(({ ino }) => ino));
      expect((await store.backUp('b')).findings).toEqual([]);
      expect(existsSync(store.at('b.partial'))).toBe(false);
      // Attachments that it had are used.
      const same = below(store.at('b')).filter(
        ({ name, ino }) => ino > 0 && name.includes('attachments') && left.has(ino),
      );
      expect(same).toHaveLength(part === 'database' ? 0 : 2);
      expect((await store.restore('b')).findings).toEqual([]);
    },
  );

  it('leaves nothing in the next one that is damaged or that no record refers to any more', async () => {
    await store.backUp('b');
    renameSync(store.at('b'), store.at('b.partial'));
    const [{ n, digest }] = digests(store.file) as [{ n: number; digest: string }];
    writeFileSync(bytesPath(databaseOf('b.partial'), n, digest), 'y'.repeat(5_000));
    await mkdir(join(attachmentsFolder(databaseOf('b.partial'), 99), '00'), { recursive: true });
    await writeFile(bytesPath(databaseOf('b.partial'), n, digest.slice(0, 2).padEnd(64, '0')), 'orphan');
    await mkdir(join(attachmentsFolder(databaseOf('b.partial'), n), 'ff'), { recursive: true });
    await writeFile(bytesPath(databaseOf('b.partial'), n, 'f'.repeat(64)), 'orphan');
    expect((await store.backUp('b')).findings).toEqual([]);
    expect((await readdir(attachmentsFolder(databaseOf('b')))).toSorted()).toEqual([String(n)]);
    expect(existsSync(bytesPath(databaseOf('b'), n, 'f'.repeat(64)))).toBe(false);
  });
});

describe('a backup is refused', () => {
  it('into a folder that is not empty, or is being filled, or is not its own', async () => {
    await mkdir(store.at('full'));
    await writeFile(join(store.at('full'), 'mine'), 'mine');
    await expect(store.backUp('full')).rejects.toThrow(/full` is not empty; name a new folder/);
    await mkdir(store.at('b.partial'));
    await writeFile(join(store.at('b.partial'), 'mine'), 'mine');
    await expect(store.backUp('b')).rejects.toThrow(/has `mine`, which is not of a backup/);
    const second = Promise.withResolvers<unknown>();
    await store.backUp('c', {
      progress: ({ part }) => part === 'database' && second.resolve(store.backUp('c').catch((error: unknown) => error)),
    });
    expect(String(await second.promise)).toMatch(/Another backup into .* runs|is not empty/);
    expect(await readdir(store.at('full'))).toEqual(['mine']);
  });

  it('is made in a folder that is empty', async () => {
    await mkdir(store.at('empty'));
    expect((await store.backUp('empty')).findings).toEqual([]);
  });

  it.each([
    [`PRAGMA user_version = ${layout + 1}`, /newer version/],
    ['PRAGMA application_id = 1', /with other content/],
  ])('for a file that is no store of ours: %s', async (sql, message) => {
    store.change(store.file, sql);
    await expect(store.backUp('b')).rejects.toThrow(message);
    expect(existsSync(store.at('b.partial'))).toBe(false);
  });

  it('where its folder cannot be made', { skip: process.platform !== 'linux' }, async () => {
    const folder = '/proc/nothing/b';
    await expect(store.backUp('b', { folder })).rejects.toMatchObject({ code: 'ENOENT', syscall: 'mkdir' });
    await expect(store.backUp('b', { folder: join(store.file, 'b') })).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('where there is no store', async () => {
    await expect(openBackupSource(`sqlite:${store.at('nothing.sqlite')}`)).rejects.toThrow(/There is no store at/);
    await writeFile(store.at('nothing.sqlite'), '');
    await expect(openBackupSource(`sqlite:${store.at('nothing.sqlite')}`)).rejects.toThrow(/it has no store/);
  });

  it('where a partition is removed while its attachments are copied', async () => {
    const [{ n, digest }] = digests(store.file) as [{ n: number; digest: string }];
    const progress = ({ part }: { readonly part: string }): void => {
      if (part !== 'database' || !existsSync(bytesPath(store.file, n, digest))) return;
      store.change(store.file, `UPDATE partitions SET id = NULL WHERE n = ${n}`);
      rmSync(bytesPath(store.file, n, digest));
    };
    await expect(store.backUp('b', { progress })).rejects.toThrow(/`clinic` was removed while it was copied; run/);
    expect(existsSync(store.at('b'))).toBe(false);
    // Afterwards it is not in the next one.
    expect((await store.backUp('b')).manifest).toMatchObject({
      database: { partitions: 2 },
      attachments: { files: 0 },
    });
  });
});

describe('damage in the store', () => {
  it('is in the backup, and reported by it and by what is restored from it', async () => {
    const [small, large] = digests(store.file) as [{ n: number; digest: string }, { n: number; digest: string }];
    const chain = (await store.backUp('intact')).manifest.audit[0]?.chain ?? '';
    writeFileSync(bytesPath(store.file, small.n, small.digest), 'z'.repeat(5_000));
    rmSync(bytesPath(store.file, large.n, large.digest));
    const lines = readFileSync(chainPath(store.file, chain), 'utf8');
    writeFileSync(chainPath(store.file, chain), lines.replace('"first"', '"other"'));
    store.change(store.file, `UPDATE resources SET text = replace(text, 'No. 5', 'No. 6') WHERE id = 'p5'`);
    store.change(store.file, `PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'documents_expires'`);
    const { findings } = await store.backUp('b');
    const found = new Set(findings.map(one => `${one.in} ${one.is} ${'what' in one ? one.what : ''}`));
    expect([...found].toSorted()).toEqual([
      'attachments digest ',
      'attachments missing ',
      'audit altered ',
      'database altered Patient/p5',
      'database file -',
    ]);
    expect((await store.restore('b')).findings).toEqual(findings);
  });
});

describe('the audit log', () => {
  const event = (text: string): AuditRecord => ({
    recorded: 1,
    partition: undefined,
    client: undefined,
    patients: [],
    text: JSON.stringify({ text }),
  });

  /** Lines of a chain, and the digest of the last. */
  function print(n: number, before: string, ...records: readonly AuditRecord[]): readonly [text: string, hash: string] {
    const { lines, hash } = printLines(n, before, records);
    return [lines.map(line => `${line}\n`).join(''), hash];
  }

  it('has no half line: an event that is being written is left out', async () => {
    const { manifest } = await store.backUp('first');
    const chain = manifest.audit[0]?.chain ?? '';
    appendFileSync(chainPath(store.file, chain), '{"hash":"half of a li');
    const { findings } = await store.backUp('b');
    expect(findings).toEqual([]);
    expect(readFileSync(chainPath(databaseOf('b'), chain))).toEqual(
      readFileSync(chainPath(databaseOf('first'), chain)),
    );
  });

  it('has all that its files name of each other, although they grow while they are copied', async () => {
    // The file with the later name is copied first. Meanwhile it grows, and the other, whose clock was behind, begins
    // and names its new end.
    const [late, early] = [chainName(Date.now() + 5_000, '00000001'), chainName(Date.now() + 4_000, '00000002')];
    const [begun, hash] = print(0, '', { before: [] }, event('one'));
    writeFileSync(chainPath(store.file, late), begun);
    writeFileSync(chainPath(store.file, early), '');
    let grown = false;
    const progress = ({ part }: { readonly part: string }): void => {
      if (part !== 'audit' || grown) return;
      grown = true;
      const [more, end] = print(2, hash, event('two'));
      appendFileSync(chainPath(store.file, late), more);
      const link = { chain: late, n: 2, hash: end };
      appendFileSync(chainPath(store.file, early), print(0, '', { before: [link] }, event('three'))[0]);
    };
    const { findings } = await store.backUp('b', { progress });
    expect([grown, findings]).toEqual([true, []]);
    expect((await store.restore('b')).findings).toEqual([]);
    expect((await eventsOf(store.at('b.sqlite'))).toSorted()).toEqual(['first', 'one', 'second', 'three', 'two']);
  });

  it('is copied although old days are dropped meanwhile', async () => {
    const [old, late] = [chainName(Date.UTC(2020, 0, 1), '00000001'), chainName(Date.now() + 5_000, '00000002')];
    const [first, hash] = print(0, '', { before: [] });
    const [begun, end] = print(0, '', { before: [{ chain: old, n: 0, hash }] });
    writeFileSync(chainPath(store.file, old), first);
    writeFileSync(chainPath(store.file, late), begun);
    // The newest file is copied first: then the oldest is dropped, which an event in the newest says.
    const progress = ({ part }: { readonly part: string }): void => {
      if (part !== 'audit' || !existsSync(chainPath(store.file, old))) return;
      appendFileSync(chainPath(store.file, late), print(1, end, { pruned: '2021-01-01' })[0]);
      rmSync(chainPath(store.file, old));
    };
    expect((await store.backUp('b', { progress })).findings).toEqual([]);
    expect(existsSync(chainPath(databaseOf('b'), old))).toBe(false);
  });
});

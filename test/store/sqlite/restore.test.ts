import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseLine, printLines } from '../../../src/store/audit/line.ts';
import { chainPath } from '../../../src/store/files/audit.ts';
import { manifestName, parseManifest } from '../../../src/store/backup/manifest.ts';
import { placeBeside } from '../../../src/store/backup/place.ts';
import { layout } from '../../../src/store/sqlite/migrations.ts';
import { everything, open } from '../../support/filled-store.ts';
import { below, eventsOf, filled, template } from '../support/backups.ts';
import type { Filled } from '../support/backups.ts';

let folder: string;
let store: Filled;
beforeAll(async () => {
  folder = await template();
  const first = await filled(folder);
  await first.backUp('b');
  await first.copyTo(folder, 'b');
  await first.remove();
});
beforeEach(async () => (store = await filled(folder)));
afterEach(() => store.remove());
afterAll(() => rm(folder, { recursive: true }));

/** Changes what a manifest says. */
function say(change: (manifest: Record<string, unknown>) => void): void {
  const path = join(store.at('b'), manifestName);
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  change(manifest);
  writeFileSync(path, JSON.stringify(manifest));
}

/** The database of the backup. */
const backedUp = (): string => join(store.at('b'), 'records.sqlite');

const nothingRestored = (): void => {
  expect(existsSync(store.at('b.sqlite'))).toBe(false);
  expect(existsSync(store.at('b.sqlite.restoring'))).toBe(false);
};

describe('a restore replaces nothing', () => {
  it.each(['r.sqlite', 'r.sqlite-wal', 'r.sqlite-shm', 'r.sqlite.attachments/1/ab/cd', 'r.sqlite.audit/mine'])(
    'where there is %s',
    async name => {
      await mkdir(dirname(store.at(name)), { recursive: true });
      await writeFile(store.at(name), 'mine');
      await expect(store.restore('b', `sqlite:${store.at('r.sqlite')}`)).rejects.toThrow(/exists already/);
      expect(readFileSync(store.at(name), 'utf8')).toBe('mine');
      expect((await readdir(store.folder)).filter(one => one.includes('restoring'))).toEqual([]);
    },
  );

  it('and does not take a link to a folder for an empty one', async () => {
    await mkdir(store.at('elsewhere'));
    symlinkSync(store.at('elsewhere'), store.at('b.sqlite.attachments'));
    await expect(store.restore('b')).rejects.toThrow(/exists already/);
  });

  it('but fills empty folders', async () => {
    await mkdir(store.at('b.sqlite.attachments'));
    await mkdir(store.at('b.sqlite.audit'));
    expect((await store.restore('b')).findings).toEqual([]);
    expect(await everything(`sqlite:${store.at('b.sqlite')}`)).toEqual(await everything(store.url));
  });

  it('nor a store that a server begins meanwhile', async () => {
    const restoring = store.restore('b', `sqlite:${store.at('r.sqlite')}`, {
      async audited(_, lastStep) {
        await expect(open(`sqlite:${store.at('r.sqlite')}`, 'serve')).rejects.toThrow(
          /A restore of .* was interrupted/,
        );
        writeFileSync(store.at('r.sqlite'), 'of somebody else');
        await lastStep();
      },
    });
    await expect(restoring).rejects.toThrow(/r\.sqlite` exists already/);
    expect(readFileSync(store.at('r.sqlite'), 'utf8')).toBe('of somebody else');
  });
});

describe('a restore is refused', () => {
  it.each<[title: string, change: () => void, message: RegExp]>([
    ['for a folder without manifest', () => rmSync(join(store.at('b'), manifestName)), /not a whole backup/],
    ['for half a manifest', () => writeFileSync(join(store.at('b'), manifestName), '{"format":'), /is damaged/],
    ['for a manifest of something else', () => say(one => (one['format'] = 'other')), /not the manifest of a backup/],
    ['for one of a newer version', () => say(one => (one['version'] = 2)), /newer version \(clinical-records-service/],
    ['for a newer layout', () => say(one => (one['layout'] = layout + 1)), /newer version \(layout/],
    ['for an older layout', () => say(one => (one['layout'] = 5)), /older version \(layout/],
    ['for a changed database', () => store.change(backedUp(), 'DELETE FROM resources'), /is damaged: its SHA-256/],
    ['for a database that is gone', () => rmSync(backedUp()), /ENOENT/],
  ])('%s', async (_, change, message) => {
    change();
    await expect(store.restore('b')).rejects.toThrow(message);
    nothingRestored();
  });

  it.each(['madeBy', 'time', 'layout', 'findings', 'database', 'attachments', 'audit', 'version'])(
    'for a manifest without `%s`, or with an odd one',
    async field => {
      const text = readFileSync(join(store.at('b'), manifestName), 'utf8');
      for (const odd of [undefined, -1, 'x\n', { size: '1' }, [{}]]) {
        if (odd === 'x\n' && field === 'madeBy') continue;
        const manifest = { ...(JSON.parse(text) as object), [field]: odd };
        expect(() => parseManifest(JSON.stringify(manifest), 'm')).toThrow(/`m` is damaged/);
      }
    },
  );

  it('for a chain whose name leads elsewhere', async () => {
    say(
      one =>
        ((one['audit'] as { chain: string }[])[0] = { ...(one['audit'] as { chain: string }[])[0], chain: '../../x' }),
    );
    await expect(store.restore('b')).rejects.toThrow(/is damaged/);
  });
});

describe('damage in a backup', () => {
  it('in attachments and audit log is reported, and the rest restored', async () => {
    const before = await everything(store.url);
    const { audit } = parseManifest(readFileSync(join(store.at('b'), manifestName), 'utf8'), '');
    const kept = below(store.at('b')).filter(({ name, ino }) => ino > 0 && name.includes('.attachments'));
    const [one = '', other = ''] = kept.map(({ name }) => name);
    rmSync(join(store.at('b'), one));
    writeFileSync(join(store.at('b'), other), 'other');
    // All digests in the chain are computed again: only the manifest shows it.
    const path = chainPath(join(store.at('b'), 'records.sqlite'), audit[0]?.chain ?? '');
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1).map(parseLine); // prettier-ignore
    const events = lines.slice(1).map(line => {
      if (line?.entry === undefined) throw new Error('No event');
      return { ...line.entry, text: line.entry.text.replace('first', 'forged') };
    });
    writeFileSync(
      path,
      printLines(0, '', [{ before: [] }, ...events])
        .lines.map(line => `${line}\n`)
        .join(''),
    );

    const { findings } = await store.restore('b');
    expect(findings.map(finding => ('is' in finding ? `${finding.in} ${finding.is}` : '')).toSorted()).toEqual([
      'attachments missing',
      'attachments size',
      'audit altered',
    ]);
    expect(await everything(`sqlite:${store.at('b.sqlite')}`)).toEqual(before);
    expect(await eventsOf(store.at('b.sqlite'))).toEqual(['forged', 'second']);
  });
});

describe('an interrupted restore', () => {
  it('is no store, and is done by the next run', async () => {
    // As killed when attachments and audit log have their names, and the database not yet.
    const staging = store.at('b.sqlite.restoring');
    await store.restore('b', `sqlite:${join(staging, 'records.sqlite')}`);
    await placeBeside(join(staging, 'records.sqlite'), store.at('b.sqlite'));
    expect(existsSync(store.at('b.sqlite.audit'))).toBe(true);
    for (const mode of ['serve', 'read'] as const)
      await expect(open(`sqlite:${store.at('b.sqlite')}`, mode)).rejects.toThrow(/was interrupted; run it again/);
    expect((await store.restore('b')).findings).toEqual([]);
    expect(existsSync(staging)).toBe(false);
    expect(await everything(`sqlite:${store.at('b.sqlite')}`)).toEqual(await everything(store.url));
    expect(await eventsOf(store.at('b.sqlite'))).toEqual(['first', 'second']);
  });

  it('never takes what is beside another store for its own', async () => {
    await mkdir(store.at('b.sqlite.restoring'));
    await mkdir(store.at('b.sqlite.audit'));
    await writeFile(join(store.at('b.sqlite.audit'), 'mine'), 'mine');
    await expect(store.restore('b')).rejects.toThrow(/exists already/);
    expect(readFileSync(join(store.at('b.sqlite.audit'), 'mine'), 'utf8')).toBe('mine');
  });

  it.each(['database digest', 'attachments', 'audit', 'database check', 'attachments check'] as const)(
    'by an error in the %s leaves nothing',
    async part => {
      const progress = (step: { readonly part: string }): void => {
        if (step.part === part) throw new Error('interrupted');
      };
      await expect(store.restore('b', undefined, { progress })).rejects.toThrow('interrupted');
      nothingRestored();
      expect((await readdir(store.folder)).filter(name => name.startsWith('b.sqlite.a'))).toEqual([]);
    },
  );

  it('by a log that takes no events leaves nothing', async () => {
    const audited = (): Promise<void> => Promise.reject(new Error('the log is full'));
    await expect(store.restore('b', undefined, { audited })).rejects.toThrow('the log is full');
    nothingRestored();
    expect((await readdir(store.folder)).filter(name => name.startsWith('b.sqlite.a'))).toEqual([]);
  });
});

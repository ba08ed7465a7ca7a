// A disk that fails: nothing acknowledged is lost, nothing crashes, and writing resumes when the disk is well.
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, type Faults, createFaults, mountTmpfs, noFaults, unlessFaults } from '../support/faults/faults.ts';
import { list } from '../store/support/list.ts';
import { openClinic, shippedModel } from '../store/support/shipped.ts';
import { type Clinic, codeOf, eventually, fillClinic, newClinic, type Server, start } from './support/clinic.ts';
import { current } from '../store/support/current.ts';
import { attachmentSteps, indexSteps } from '../store/support/verified.ts';
import { auditOf } from '../support/audit-of.ts';

const calls = [
  ['fsync', 'EIO'],
  ['fsync', 'ENOSPC'],
  ['write', 'EIO'],
  ['write', 'ENOSPC'],
  ['write', 'EDQUOT'],
  ['write', 'EROFS'],
] as const;
/** All of them on demand, else two for each file. */
const all = process.env['CRS_TEST_FAULTS'] === 'all';

/** The calls that fail on a file, by title. */
function faultsOf(name: string, path: string, some: readonly number[]): readonly (readonly [string, Fault])[] {
  const chosen = calls.filter((_, at) => all || some.includes(at));
  return chosen.map(([operation, error]) => [`${operation} of ${name}: ${error}`, { operation, error, path }]);
}

/** What the client gets while a file that a commit writes fails, creating and reading. */
const commits = (
  [
    ['the WAL', 'records.sqlite-wal$', [200], [0, 3]],
    ['the bytes of attachments', '.sqlite.attachments/', [200], [1, 2]],
    // Nothing is read while the read could not be audited.
    ['the audit log', '.sqlite.audit/', [503, 'no-store'], [0, 3]],
  ] as const
).flatMap(([name, path, read, some]) =>
  faultsOf(name, path, some).map(([title, fault]) => [title, { fault, read }] as const),
);

describe.skipIf(noFaults !== undefined)(`a call that fails${unlessFaults}`, () => {
  let clinic: Clinic;
  let faults: Faults;
  let server: Server;
  /** The id of each picture that was acknowledged, by its name. */
  const acknowledged = new Map<string, string>();

  const create = async (name: string): Promise<number> => {
    const { status, json } = await server.create(name);
    if (status === 201) acknowledged.set(name, json.id);
    return status;
  };

  beforeAll(async () => {
    clinic = await newClinic(5);
    faults = createFaults(clinic.folder);
    server = await start(clinic, faults.env);
  });
  const recovered = async (title: string): Promise<readonly [number, string]> => [
    await eventually(
      () => create(`${title} after`),
      status => status === 201,
    ),
    await eventually(
      () => server.ready(),
      state => state === 'ok',
    ),
  ];
  afterAll(() => clinic.remove());

  it.each(faultsOf('the file', 'records.sqlite$', [0, 3]))('%s: creates continue', async (title, fault) => {
    expect(await create(`${title} before`)).toBe(201);
    faults.set(fault);
    expect(await create(`${title} during`)).toBe(201);
    expect(
      await eventually(
        () => server.ready(),
        state => state === 'degraded',
      ),
    ).toBe('degraded');
    expect(await create(`${title} still`)).toBe(201);
    faults.set();
    expect(await recovered(title)).toEqual([201, 'ok']);
  });

  it.each(commits)('%s: creates are refused', async (title, { fault, read }) => {
    expect(await create(`${title} before`)).toBe(201);
    faults.set(fault);
    const failed = await server.create(`${title} during`);
    expect([failed.status, codeOf(failed), failed.retryAfter]).toEqual([503, 'no-store', '5']);
    const answer = await server.get('/Patient/p0');
    expect(answer.status === 200 ? [200] : [answer.status, codeOf(answer)]).toEqual(read);
    faults.set();
    expect(await recovered(title)).toEqual([201, 'ok']);
  });

  it('loses nothing that was acknowledged, killed in the middle of such a failure', async () => {
    faults.set({ operation: 'fsync', error: 'EIO', path: 'records.sqlite$' });
    for (let at = 0; at < 20; at += 1) expect(await create(`at the end ${at}`)).toBe(201);
    await server.stop('SIGKILL');
    faults.set();
    const { store, clinic: partition } = await openClinic(`sqlite:${clinic.path}`, await shippedModel());
    const kept = new Set((await list(current(partition, 'Media'))).map(({ id }) => id));
    expect([...acknowledged].filter(([, id]) => !kept.has(id))).toEqual([]);
    expect(kept.size).toBe(acknowledged.size);
    const findings = (await attachmentSteps(store, partition.id)).flatMap(step => step.findings);
    expect(findings).toEqual([]);
    expect((await indexSteps(store, 'clinic')).flatMap(({ findings }) => findings)).toEqual([]);
    expect(await list(auditOf(store).verify())).toEqual([]);
    await store.close();
  });
});

describe('the file of a running server', () => {
  let clinic: Clinic;
  beforeEach(async () => (clinic = await newClinic(5)));
  afterEach(() => clinic.remove());

  it('that is moved away stops writing, and writing resumes when it is back', async () => {
    const server = await start(clinic);
    expect((await server.create('before')).status).toBe(201);
    await rename(clinic.path, `${clinic.path}.away`);
    const failed = await server.create('away');
    expect([failed.status, codeOf(failed), failed.retryAfter]).toEqual([503, 'no-store', '5']);
    expect((await server.get('/Patient/p0')).status).toBe(200);
    expect(await server.ready()).toBe('degraded');
    expect(server.faults()[0]?.error).toMatch(/records\.sqlite` was removed while the server runs.*Put back the file/);
    expect(existsSync(clinic.path)).toBe(false);
    await rename(`${clinic.path}.away`, clinic.path);
    expect((await server.create('back')).status).toBe(201);
    expect(
      await eventually(
        () => server.ready(),
        state => state === 'ok',
      ),
    ).toBe('ok');
    expect(await server.stop()).toBe(0);
  });

  it('that is replaced stops writing, and what replaced it is left as it is', async () => {
    const server = await start(clinic);
    expect((await server.create('before')).status).toBe(201);
    await copyFile(clinic.path, `${clinic.path}.copy`);
    await rename(`${clinic.path}.copy`, clinic.path);
    const replaced = readFileSync(clinic.path);
    for (const name of ['one', 'two']) expect((await server.create(name)).status).toBe(503);
    expect(readFileSync(clinic.path).equals(replaced)).toBe(true);
    await server.stop();
  });

  it('whose WAL is removed stops writing', async () => {
    const server = await start(clinic);
    expect((await server.create('before')).status).toBe(201);
    rmSync(`${clinic.path}-wal`);
    expect((await server.create('lost')).status).toBe(503);
    await server.stop();
  });
});

const mounted = mountTmpfs(join(import.meta.dirname, '../../.cache/tmpfs-probe'), 4096);
if ('unmount' in mounted) mounted.unmount();
const noTmpfs = 'reason' in mounted ? mounted.reason : undefined;

describe.skipIf(noTmpfs !== undefined)(`a full disk${noTmpfs === undefined ? '' : ` (left out: ${noTmpfs})`}`, () => {
  it('refuses creates with 503 and serves reads; creates work when space is free', async () => {
    const clinic = await newClinic(0);
    const folder = join(clinic.folder, 'small');
    const disk = mountTmpfs(folder, 8 * 1024 * 1024);
    if (!('unmount' in disk)) throw new Error(disk.reason);
    try {
      await fillClinic(folder, 5);
      const server = await start({ folder });
      const first = await server.create('first');
      const acknowledged: string[] = [first.json.id];
      const ballast = join(folder, 'ballast');
      fillDisk(ballast, 150 * 1024);
      const refused = await eventually(
        async () => {
          const answer = await server.create(`${acknowledged.length}${'x'.repeat(20_000)}`);
          if (answer.status === 201) acknowledged.push(answer.json.id);
          return [answer.status, answer.retryAfter];
        },
        ([status]) => status !== 201,
      );
      expect(refused).toEqual([503, '5']);
      rmSync(ballast);
      expect(
        await eventually(
          async () => (await server.create('after')).status,
          status => status === 201,
        ),
      ).toBe(201);
      expect(
        await eventually(
          () => server.ready(),
          state => state === 'ok',
        ),
      ).toBe('ok');
      expect((await server.get('/Patient/p0')).status).toBe(200);
      expect(await server.stop('SIGKILL')).toBe(null);
      const opened = await openClinic(`sqlite:${join(folder, 'records.sqlite')}`, await shippedModel());
      const kept = new Set((await list(current(opened.clinic, 'Media'))).map(({ id }) => id));
      expect(acknowledged.filter(id => !kept.has(id))).toEqual([]);
      await opened.store.close();
    } finally {
      disk.unmount();
      await clinic.remove();
    }
  });
});

/** Takes all space of the disk of a file but so many bytes. */
function fillDisk(path: string, left: number): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - left), 1));
}

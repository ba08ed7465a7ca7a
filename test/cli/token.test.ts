import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../src/auth/token/digest.ts';
import { inOneProcess } from './one-process.ts';
import { launch, root } from './process.ts';
import type { Ended, Launched } from './process.ts';

const run = inOneProcess();
let folder: string;
let store: string[];
let server: Launched;
let base: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'token it’s-'));
  store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`];
  server = launch(['serve', '--demo', '--access', 'token', '--port', '0', '--log', 'info', ...store]);
  [, base = ''] = await server.until(/Serves (http:\S+\/r4\/demo) [^]*curl[^]*\n\n/);
  await run(['partition', 'add', 'clinic', ...store]);
});
afterAll(async () => {
  server.process.kill('SIGTERM');
  await server.ended;
  await rm(folder, { recursive: true });
});

const token = (...flags: string[]): Promise<Ended> => run(['token', ...store, ...flags]);

/** The token that is printed, which is all that is printed. */
async function made(...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await token(...flags);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^crs_[\w-]{43}\n$/);
  return stdout.trim();
}

async function status(path: string, bearer?: string): Promise<number> {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return (await fetch(`${base}${path}`, { headers })).status;
}

// The server runs all the while.
describe('token', () => {
  it.skipIf(process.platform === 'win32')(
    'is in what `serve --demo` prints, and works when pasted (a shell is not on Windows)',
    () => {
      const lines = server.stdout().split('\n').filter(line => line.startsWith('  ')); // prettier-ignore
      expect(lines.map(line => line.trim().slice(0, 6))).toEqual(['TOKEN=', 'curl -', 'curl -', 'curl -', 'curl -']);
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CRS_')));
      const script = lines.join('; echo\n');
      const stdio = ['ignore', 'pipe', 'ignore'] as const;
      const answers = execFileSync('sh', ['-ec', script], { cwd: root, env, encoding: 'utf8', stdio: [...stdio] });
      const found = answers
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as { entry: unknown[] });
      expect(found.slice(0, 3).filter(({ entry }) => entry.length > 0)).toHaveLength(3);
      expect(found.slice(3)).toMatchObject([
        { access_token: expect.stringMatching(/^crs_/) as unknown, expires_in: 300 },
      ]);
      expect(server.stdout()).not.toContain('crs_');
    },
  );

  it('for demo-backend has every system scope, in its partition alone', async () => {
    const backend = await made('--client', 'demo-backend', '--partition', 'demo');
    const types = ['Patient', 'Observation', 'Appointment', 'Condition', 'Encounter', 'MedicationRequest'];
    const statuses = await Promise.all(types.map(type => status(`/${type}?_count=1`, backend)));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 403]);
    expect(await status('/../clinic/Patient', backend)).toBe(401);
    expect(await status('/Patient')).toBe(401);
  });

  it('for demo-app is for the clinician, with a patient or without', async () => {
    const app = ['--client', 'demo-app', '--user', 'demo-clinician', '--partition', 'demo'];
    const clinician = await made(...app);
    expect(await status('/Condition?_count=1', clinician)).toBe(200);
    expect(await status('/MedicationRequest?_count=1', clinician)).toBe(403);
    expect(await status('/Practitioner/practitioner-1', clinician)).toBe(200);
    expect(await status('/Practitioner/practitioner-2', clinician)).toBe(404);
    const inContext = await made(...app, '--patient', 'p905-00003');
    expect(await status('/MedicationRequest?_count=1', inContext)).toBe(200);
    const narrow = await made(...app, '--patient', 'p905-00003', '--scope', 'patient/Patient.r');
    expect(await status('/Patient/p905-00003', narrow)).toBe(200);
    expect(await status('/Patient/p905-00004', narrow)).toBe(404);
    expect(await status('/Condition', narrow)).toBe(403);
  });

  it('for any client, user and scope is made for the operator', async () => {
    const operator = ['--i-am-operator', '--client', 'report', '--partition', 'clinic'];
    const system = await made(...operator, '--scope', 'system/Patient.rs  system/Condition.rs');
    expect(await status('/../clinic/Patient', system)).toBe(200);
    expect(await status('/../clinic/Observation', system)).toBe(403);
    const user = await made(...operator, '--scope', 'user/Patient.rs', '--user', 'Practitioner/x');
    expect(await status('/../clinic/Patient', user)).toBe(200);
  });

  it('ends after its time', async () => {
    const short = await made('--client', 'demo-backend', '--partition', 'demo', '--ttl', '5');
    expect(await status('/Patient?_count=1', short)).toBe(200);
    await expect.poll(() => status('/Patient?_count=1', short), { timeout: 20_000, interval: 250 }).toBe(401);
  });

  it.each<[flags: string[], sentence: string]>([
    [['--client', 'demo-app'], '`demo-app` is for `--user demo-clinician`.'],
    [['--client', 'demo-backend', '--user', 'demo-clinician'], '`demo-backend` is for no user.'],
    [
      ['--client', 'demo-backend', '--scope', 'user/Patient.rs'],
      '`demo-backend` cannot have a scope such as `user/Patient.rs`.',
    ],
    [['--client', 'demo-backend', '--scope', 'system/Patient.c'], 'The scope `system/Patient.c` does not exist'],
    [['--client', 'demo-backed'], 'Did you mean `demo-backend`?'],
    [
      ['--client', 'x', '--i-am-operator', '--scope', 'user/Patient.rs', '--user', 'ann'],
      'users whose fhirUser is a clinician',
    ],
    [['--client', 'x', '--i-am-operator', '--scope', 'patient/Patient.rs'], 'it needs the id of a patient in context'],
    [
      ['--client', 'x', '--i-am-operator', '--scope', 'patient/Condition.rs?nothing=a', '--patient', 'p'],
      'its search is not valid, or matches no record.',
    ],
    [
      ['--client', 'x', '--i-am-operator', '--scope', 'user/Condition.rs?_count=1', '--user', 'Practitioner/x'],
      'its search is not valid, or matches no record.',
    ],
    [
      ['--client', 'x', '--i-am-operator', '--scope', 'fhirUser', '--user', 'Patient/p'],
      'whose fhirUser is a resource of this partition, of a type that users may read so',
    ],
    [['--client', 'x', '--i-am-operator', '--scope', 'patient/Observation.rs', '--patient', 'p'], 'does not exist'],
  ])('is refused: %j', async (flags, sentence) => {
    const { code, stdout, stderr } = await token('--partition', 'demo', ...flags);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('of the demonstration is refused for another partition', async () => {
    const { code, stderr } = await token('--client', 'demo-backend', '--partition', 'clinic');
    expect([code, stderr]).toEqual([1, expect.stringContaining('This is not the partition of a demonstration')]);
  });

  it.each<[flags: string[], sentence: string]>([
    [[], '`--client` is missing.'],
    [['--client', 'x', '--i-am-operator'], '`--i-am-operator` requires `--scope`.'],
    [['--client', 'a b'], '`--client` must be 1 to 200 visible characters.'],
    [['--client', 'x', '--patient', 'Patient/p1'], '`--patient` is `Patient/p1`, but must be an id'],
    [['--client', 'x', '--ttl', '0'], '`--ttl` is `0`, but must be a whole number from 1 to 86400.'],
  ])('is refused as a wrong command: %j', async (flags, sentence) => {
    const { code, stderr } = await token('--partition', 'demo', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('is in no log, nor is its digest', async () => {
    const backend = await made('--client', 'demo-backend', '--partition', 'demo');
    expect(await status('/Patient?family=Tremblay', backend)).toBe(200);
    expect(server.stderr()).toContain('/r4/:partition/:type');
    for (const secret of [backend, backend.slice(4), digestOf(backend), 'Bearer']) {
      expect(server.stderr()).not.toContain(secret);
    }
  });
});

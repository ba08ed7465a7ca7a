import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';
import { root } from './process.ts';

const run = inOneProcess();
let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

describe('generate', () => {
  it('writes NDJSON to stdout, the same each time', async () => {
    const [once, again] = await Promise.all([
      run(['generate', '--patients', '3', '--seed', '5']),
      run(['generate', '--patients', '3', '--seed', '5']),
    ]);
    expect([once.code, once.stderr]).toEqual([0, '']);
    expect(again.stdout).toBe(once.stdout);
    const lines = once.stdout.trimEnd().split('\n');
    expect(lines.map(line => (JSON.parse(line) as { resourceType: string }).resourceType)).toContain('Observation');
    expect(lines.filter(line => line.startsWith('{"resourceType":"Patient"'))).toHaveLength(3);
  });

  it('writes one file a type into a folder', async () => {
    folder = await mkdtemp(join(tmpdir(), 'generate-'));
    const out = join(folder, 'new');
    const { code, stdout, stderr } = await run(['generate', '--patients', '2', '--out', out]);
    expect([code, stdout]).toEqual([0, '']);
    const files = (await readdir(out)).sort();
    expect(files).toEqual(
      [
        'Appointment',
        'Condition',
        'Encounter',
        'FamilyMemberHistory',
        'MedicationRequest',
        'Observation',
        'Patient',
      ].map(type => `${type}.ndjson`),
    );
    expect(stderr).toContain('Patient.ndjson: 2 records');
    const patients = await readFile(join(out, 'Patient.ndjson'), 'utf8');
    expect(patients.trimEnd().split('\n')).toHaveLength(2);
  });

  it('says in one sentence why it cannot write into the folder', async () => {
    folder = await mkdtemp(join(tmpdir(), 'generate-'));
    await mkdir(join(folder, 'Patient.ndjson'));
    const { code, stderr } = await run(['generate', '--patients', '2', '--out', folder]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^EISDIR: .*Patient\.ndjson'\.\n$/);
  });

  it.skipIf(process.platform !== 'linux')(
    'says in one sentence that the disk is full (/dev/full is Linux)',
    async () => {
      const args = [join(root, 'src/start.js'), 'generate', '--patients', '2'];
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, args, {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      closeSync(full);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^The disk is full: .*\.\n$/);
    },
  );
});

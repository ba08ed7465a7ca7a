// A command that meets a failing disk ends with the cause and the remedy; a load continues when the disk works again.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../cli/process.ts';
import { createFaults, noFaults, unlessFaults } from '../support/faults/faults.ts';
import { newClinic } from './support/clinic.ts';

describe.skipIf(noFaults !== undefined)(`load${unlessFaults}`, () => {
  it.each([
    ['write', 'ENOSPC', /The disk is full \(SQLITE_FULL: .*\)\. Free disk space\./],
    ['fsync', 'EIO', /The disk reported an I\/O error \(SQLITE_IOERR: .*\)\. Check the disk, then run `verify`\./],
  ] as const)(
    'whose disk answers %s with %s says so in one line, and the same command continues',
    async (operation, error, cause) => {
      // prettier-ignore
      const clinic = await newClinic(1);
      onTestFinished(() => clinic.remove());
      const file = join(clinic.folder, 'new.ndjson');
      const lines = Array.from({ length: 500 }, (_, at) => `{"resourceType":"Patient","id":"n${at}"}\n`);
      writeFileSync(file, lines.join(''));
      const faults = createFaults(clinic.folder);
      const load = (env = {}) =>
        run(['load', file, '--store', `sqlite:${clinic.path}`, '--rejects', join(clinic.folder, 'rejects.ndjson')], {
          env,
        });
      faults.set({ operation, error, path: 'records.sqlite-wal' });
      const failed = await load(faults.env);
      expect([failed.code, failed.stdout, faults.fired().length > 0]).toEqual([1, '', true]);
      const [line = '', ...more] = failed.stderr.split('\n').filter(text => !text.includes('/s  '));
      expect(line).toMatch(cause);
      expect(line).toMatch(/^`.*records\.sqlite` could not be written\..* The same command continues there\.$/);
      expect(more).toEqual(['']);
      faults.set();
      expect(await load()).toMatchObject({ code: 0, stdout: expect.stringContaining('500 records: 500 created.') });
    },
  );
});

describe.skipIf(noFaults !== undefined)(`audit export${unlessFaults}`, () => {
  it('into a file whose disk is full says so in one line, and leaves no half file', async () => {
    const clinic = await newClinic(1);
    onTestFinished(() => clinic.remove());
    const out = join(clinic.folder, 'events.ndjson');
    const faults = createFaults(clinic.folder);
    faults.set({ operation: 'write', error: 'ENOSPC', path: 'events.ndjson' });
    const store = ['--store', `sqlite:${clinic.path}`];
    await run(['audit', 'list', ...store]); // which is an event
    const { code, stdout, stderr } = await run(['audit', 'export', '--out', out, ...store], { env: faults.env });
    expect([code, stdout, stderr]).toEqual([1, '', 'The disk is full: ENOSPC: no space left on device, write.\n']);
    expect(existsSync(out)).toBe(false);
  });
});

// view run, schema and list (src/cli/README.md#tables).
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';
import type { Ended } from './process.ts';

const run = inOneProcess();
const folder = mkdtempSync(join(tmpdir(), 'view-'));
const definitions = ['--definitions', 'src/demo/definitions'];
const at = (name: string): string => join(folder, name);
const store = ['--store', `sqlite:${at('records.sqlite')}`];
const view = (...args: string[]): Promise<Ended> => run(['view', ...args, ...definitions, ...store]);

const patient = (id: string, more: object = {}) => ({ resourceType: 'Patient', id, gender: 'female', ...more });

beforeAll(async () => {
  const records = [
    patient('b', { name: [{ family: 'Roy', given: ['Ann', 'Lee'] }] }),
    patient('a', { name: [{ family: 'Côté' }, { family: 'Ott', use: 'official' }], birthDate: '1970-01' }),
    patient('c', { telecom: [{ value: '1' }, { value: '2' }] }),
  ];
  writeFileSync(at('records.ndjson'), records.map(one => JSON.stringify(one)).join('\n'));
  await run(['partition', 'add', 'clinic', ...store]);
  await run(['load', '--partition', 'clinic', ...store, at('records.ndjson')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('view run', () => {
  it('writes CSV to stdout, in the order of ids', async () => {
    const { code, stdout, stderr } = await view('run', 'patients');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      'key,family,given,gender,birth_date,city,postal_code,deceased\r\n' +
        'Patient/a,Ott,"",female,1970-01,,,false\r\n' +
        'Patient/b,Roy,Ann Lee,female,,,,false\r\n' +
        'Patient/c,,"",female,,,,false\r\n',
    );
  });

  it('keeps to a limit, and leaves the header out', async () => {
    const { stdout } = await view('run', 'patients', '--limit', '1', '--header', 'false');
    expect(stdout).toBe('Patient/a,Ott,"",female,1970-01,,,false\r\n');
    const none = await view('run', 'patients', '--limit', '0', '--format', 'json');
    expect(none.stdout).toBe('[]\n');
  });

  it.each(['csv', 'ndjson', 'json', 'sqlite', 'parquet'])('writes a new file for its owner only: %s', async format => {
    const file = at(`patients.${format}`);
    const url = 'https://clinical-records.example/fhir/ViewDefinition/patients|1.0.0';
    const { code, stdout } = await view('run', url, '--format', format, '--out', file);
    expect([code, stdout]).toEqual([0, `3 rows written to ${file}.\n`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await view('run', url, '--format', format, '--out', file);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
  });

  it('writes a table that SQL reads', async () => {
    const database = new DatabaseSync(at('patients.sqlite'), { readOnly: true });
    const found = database.prepare('SELECT key, deceased FROM patients WHERE family = ?').all('Roy');
    expect(found.map(row => ({ ...row }))).toEqual([{ key: 'Patient/b', deceased: 0 }]);
    database.close();
  });

  it('runs a file; a record on which it fails ends it, named without its values, and no file is left', async () => {
    const file = at('one.json');
    const column = [{ name: 'phone', path: 'telecom.value' }];
    writeFileSync(file, JSON.stringify({ resourceType: 'ViewDefinition', resource: 'Patient', select: [{ column }] }));
    const { code, stderr } = await view('run', file, '--out', at('phones.csv'));
    expect(code).toBe(1);
    expect(stderr).toContain(
      'Patient/c has no rows, at `select[0].column[0].path`: The column `phone` has 2 values here',
    );
    expect(existsSync(at('phones.csv'))).toBe(false);
  });

  it.each<[string, string[], number, string]>([
    ['an unknown view', ['pateints'], 1, '`pateints` is no view of the definitions and no file. Did you mean'],
    ['no view', [], 2, 'VIEW is missing.'],
    ['SQLite without a file', ['patients', '--format', 'sqlite'], 2, '`--out` is missing'],
    ['an unknown format', ['patients', '--format', 'xls'], 2, '`--format` is `xls`'],
  ])('refuses %s', async (_, args, exit, text) => {
    const { code, stderr } = await view('run', ...args);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(text)]);
  });

  it('reports the mistakes of a file with their places', async () => {
    writeFileSync(at('bad.json'), JSON.stringify({ resource: 'Patient', select: [{ column: [{ name: 'a' }] }] }));
    const { code, stderr } = await view('run', at('bad.json'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('select[0].column[0]')]);
  });

  it('is in the audit log', async () => {
    const { stdout } = await run(['audit', 'list', ...store]);
    expect(stdout).toContain('view-run');
    expect(readFileSync(at('patients.csv'), 'utf8')).toContain('Roy');
    expect(stdout).not.toContain('Roy');
  });
});

describe('view schema', () => {
  it('prints the table, without a store', async () => {
    const { code, stdout } = await run(['view', 'schema', 'encounters_by_day', ...definitions]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('CREATE TABLE "encounters_by_day" (\n  "')]);
  });
});

describe('view list', () => {
  it('has a line for each view', async () => {
    const { stdout } = await run(['view', 'list', ...definitions]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines).toContain(
      'patients\tPatient\t8\thttps://clinical-records.example/fhir/ViewDefinition/patients|1.0.0\t' +
        'Patients: one row for each, with the official or first name',
    );
  });
});

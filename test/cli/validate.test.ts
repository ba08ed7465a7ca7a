import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fhirPackage, profile } from '../support/definition-files.ts';
import { terminologyServer } from '../support/terminology-server.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();

// `validate`: a readable report, JSON, and an exit code.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate-'));
  await Promise.all([
    writeFile(join(folder, 'good.json'), '{"resourceType":"Patient","id":"a","gender":"female"}'),
    writeFile(
      join(folder, 'two.ndjson'),
      '{"resourceType":"Patient","id":"a"}\n\n{"resourceType":"Patient","gender":"lady"}\n',
    ),
    writeFile(join(folder, 'gaps.json'), '{"resourceType":"Patient","identifier":[{"system":"urn:x"}]}'),
    writeFile(join(folder, 'broken.json'), '{"resourceType":'),
    mkdir(join(folder, 'below')).then(() =>
      Promise.all([
        writeFile(
          join(folder, 'below/a.xml'),
          '<Patient xmlns="http://hl7.org/fhir">\n <id value="a"/>\n <gender value="lady"/>\n</Patient>',
        ),
        writeFile(
          join(folder, 'below/b.xml.gz'),
          gzipSync('<Patient xmlns="http://hl7.org/fhir"><id value="b"/></Patient>'),
        ),
        writeFile(join(folder, 'below/c.xml'), '<Patient xmlns="http://hl7.org/fhir">\n<name>Ann</name></Patient>'),
      ]),
    ),
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

describe('validate', () => {
  it('reports each resource, and ends with 0 where none has an error', async () => {
    const { code, stdout, stderr } = await run(['validate', join(folder, 'good.json')]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('good.json Patient/a: valid, with warnings\n  warning Patient: ');
    expect(stdout).toContain('\n1 resource checked, 0 with errors.\n');
  });

  it('prints line, place, profile and rule, and exits with 3', async () => {
    const { code, stdout } = await run(['validate', join(folder, 'two.ndjson')]);
    expect(code).toBe(3);
    expect(stdout).toContain('two.ndjson:3 Patient: 1 error\n');
    expect(stdout).toContain(
      '  error Patient.gender: `lady` is not in `http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1`',
    );
    expect(stdout).toContain('    http://hl7.org/fhir/StructureDefinition/Patient › Patient.gender binding\n');
  });

  it('checks XML, compressed and in folders, with the line of each finding', async () => {
    const { code, stdout } = await run(['validate', join(folder, 'below')]);
    expect(code).toBe(3);
    expect(stdout).toContain('below/a.xml Patient/a: 1 error\n');
    expect(stdout).toMatch(/ {2}error Patient\.gender: `lady` is not in .* Line 3\.\n/);
    expect(stdout).toContain('below/b.xml.gz Patient/b: valid, with warnings\n');
    expect(stdout).toContain('below/c.xml : 1 error\n  fatal Patient.name[0]: Text such as `Ann` is allowed in ');
    expect(stdout).toContain('Line 2, column 10.\n');
  });

  it('holds resources against a profile', async () => {
    const profile = 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/patient-ca-core';
    const { code, stdout } = await run(['validate', '--profile', profile, join(folder, 'gaps.json')]);
    expect(code).toBe(3);
    expect(stdout).toContain(`(profile ${profile}).`);
  });

  it('writes JSON', async () => {
    const { code, stdout } = await run([
      'validate',
      '--output',
      'json',
      join(folder, 'two.ndjson'),
      join(folder, 'broken.json'),
    ]);
    expect(code).toBe(3);
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>); // as the details say
    expect(lines).toMatchObject([
      { line: 1, resource: 'Patient/a', valid: true },
      {
        line: 3,
        valid: false,
        issues: [{ rule: 'dom-6' }, { severity: 'error', code: 'code-invalid', expression: 'Patient.gender' }],
      },
      { valid: false, issues: [{ severity: 'fatal', code: 'structure' }] },
    ]);
  });

  it('asks a terminology server what the loaded code systems leave open', async () => {
    const there = await terminologyServer({ in: [] });
    await writeFile(
      join(folder, 'country.json'),
      '{"resourceType":"Questionnaire","status":"active",' +
        '"jurisdiction":[{"coding":[{"system":"urn:iso:std:iso:3166","code":"nonsense"}]}]}',
    );
    const args = ['--terminology-server', there.url, join(folder, 'country.json')];
    const { code, stdout } = await run(['validate', ...args]);
    expect(there.received.map(({ query }) => query['code'])).toEqual(['nonsense']);
    expect(stdout).toContain('warning Questionnaire.jurisdiction[0]: ');
    expect(code).toBe(0);
  });

  it('prints what a package requires, and why one of its profiles cannot be checked', async () => {
    const lost = profile('lost', 'Patient', { baseDefinition: 'https://example.org/none', snapshot: undefined });
    const tgz = join(folder, 'lost.tgz');
    const manifest = { name: 'lost', version: '1.0.0', dependencies: { 'not.here': '1.0.0' } };
    await writeFile(tgz, fhirPackage(manifest, { 'lost.json': lost }));
    const args = ['--definitions', tgz, '--profile', 'https://example.org/StructureDefinition/lost'];
    const { code, stderr } = await run(['validate', ...args, join(folder, 'good.json')]);
    expect(code).toBe(1);
    expect(stderr).toContain('Warning: lost@1.0.0 references definitions that are not loaded: 1 package (not.here).');
    expect(stderr).toContain('The base `https://example.org/none` is not loaded.');
  });

  it.each<[args: string[], code: number, sentence: string]>([
    [[], 2, 'FILE is missing.'],
    [['nowhere.json'], 2, '`nowhere.json` does not exist.'],
    [['--profile', 'urn:x', 'package.json'], 1, 'No profile `urn:x` with a snapshot is loaded.'],
  ])('refuses %j', async (args, code, sentence) => {
    const ended = await run(['validate', ...args]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(sentence);
  });
});

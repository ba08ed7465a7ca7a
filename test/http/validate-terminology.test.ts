// https://hl7.org/fhir/R4/resource-operation-validate.html with codes that a terminology server knows
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../support/definition-files.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import { terminologyServer } from '../support/terminology-server.ts';

const url = 'https://example.org/fhir/StructureDefinition/married';
const valueSet = 'https://example.org/ValueSet/elsewhere';
const system = 'https://example.org/elsewhere';
const definition = {
  resourceType: 'StructureDefinition',
  url,
  name: 'Married',
  status: 'draft',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
  derivation: 'constraint',
  differential: {
    element: [
      {
        id: 'Patient.maritalStatus',
        path: 'Patient.maritalStatus',
        binding: { strength: 'required', valueSet },
      },
    ],
  },
};

describe('a service with a terminology server', () => {
  it('asks it about codes, and sends nothing else', async () => {
    const there = await terminologyServer({ in: ['a'] });
    const definitions = folderWith({ 'profiles/married.json': definition });
    const flags = ['--definitions', definitions, '--terminology-server', there.url];
    const server = await serve([], ['--definitions', join(import.meta.dirname, '../fixtures/validated'), ...flags]);
    onTestFinished(() => server.close());
    const validate = async (code: string): Promise<readonly string[]> => {
      const body = JSON.stringify(patient('ann-1', { maritalStatus: { coding: [{ system, code }], text: 'Ann' } }));
      const headers = { 'Content-Type': 'application/fhir+json' };
      const { json } = await server.ask('POST', `/Patient/$validate?profile=${url}`, { headers, body });
      return (json.issue as { severity: string; code: string; expression?: string[] }[])
        .filter(({ expression }) => expression?.[0] === 'Patient.maritalStatus')
        .map(({ severity, code: issue }) => `${severity} ${issue}`);
    };
    expect(await validate('a')).toEqual([]);
    expect(await validate('b')).toContain('error code-invalid');
    expect(there.received.map(({ query }) => query)).toContainEqual({ url: valueSet, system, code: 'b' });
    for (const { all } of there.received) expect(all).not.toMatch(/Ann|Patient|ann-1/);
    there.behave({ status: 503 });
    expect(await validate('c')).toContain('warning transient');
  });
});

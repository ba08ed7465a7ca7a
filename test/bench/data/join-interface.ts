import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extensionBase } from '../../../src/model/extension-shapes.ts';

const shipped = fileURLToPath(new URL('../../../capability', import.meta.url));

/** Writes a capability folder that offers chains, `_has` and includes on the shipped interface, whose indexes stay. */
export function writeJoinInterface(folder: string): string {
  const types = ['Patient', 'Observation', 'Appointment', 'Encounter'];
  return writeInterface(folder, {
    extension: ['chain', 'has'].map(valueCode => ({ url: `${extensionBase}search-feature`, valueCode })),
    mode: 'server',
    resource: types.map(type => ({ type, searchInclude: ['*'] })),
  });
}

/** Writes a capability folder that offers `_content` of Observation, which needs an index. */
export function writeWordInterface(folder: string): string {
  const definition = 'http://hl7.org/fhir/SearchParameter/Resource-content';
  const searchParam = [{ name: '_content', definition, type: 'string' }];
  return writeInterface(folder, { mode: 'server', resource: [{ type: 'Observation', searchParam }] });
}

/** Writes a capability folder in which Observations are created and updated, and have histories. */
export function writeVersionInterface(folder: string): string {
  const codes = ['create', 'update', 'history-instance', 'history-type'];
  const interaction = codes.map(code => ({ code }));
  const observation = { type: 'Observation', interaction, updateCreate: true };
  return writeInterface(folder, { mode: 'server', resource: [observation] });
}

/** Writes a capability folder with the shipped interface and a `rest`. */
function writeInterface(folder: string, rest: object): string {
  const capability = join(folder, 'capability');
  cpSync(shipped, capability, { recursive: true });
  const statement = {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: '2024-01-01',
    kind: 'capability',
    software: { name: 'Clinical Records Service' },
    fhirVersion: '4.0.1',
    format: ['json'],
    rest: [rest],
  };
  writeFileSync(join(capability, 'more.json'), JSON.stringify(statement));
  return capability;
}

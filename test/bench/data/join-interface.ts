import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extensionBase } from '../../../src/model/extension-shapes.ts';

const shipped = fileURLToPath(new URL('../../../capability', import.meta.url));

/** Writes a capability folder that offers chains, `_has` and includes on the shipped interface, whose indexes stay. */
export function writeJoinInterface(folder: string): string {
  const capability = join(folder, 'capability');
  cpSync(shipped, capability, { recursive: true });
  const types = ['Patient', 'Observation', 'Appointment', 'Encounter'];
  const statement = {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: '2024-01-01',
    kind: 'capability',
    software: { name: 'Clinical Records Service' },
    fhirVersion: '4.0.1',
    format: ['json'],
    rest: [
      {
        extension: ['chain', 'has'].map(valueCode => ({ url: `${extensionBase}search-feature`, valueCode })),
        mode: 'server',
        resource: types.map(type => ({ type, searchInclude: ['*'] })),
      },
    ],
  };
  writeFileSync(join(capability, 'joins.json'), JSON.stringify(statement));
  return capability;
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { initAll } from '../../src/guide/init-all.ts';
import { operations } from '../../src/model/implemented.ts';
import { readTemplate } from '../../src/guide/template.ts';

/**
 * Makes test/fixtures/all-r4: the interface `r4` with the types that it omits, and with named queries. Run it with
 * `node test/support/make-all-r4.ts` after `npm run distil`.
 */
export function allR4(): Promise<JsonObject> {
  const { statement, sortIndexes } = readTemplate();
  const [rest = {}] = objectsOf(statement['rest']);
  const offering = Object.entries(queries).map(([type, codes]) => ({
    ...objectsOf(rest['resource']).find(one => one['type'] === type),
    type,
    operation: codes.map(name => ({ name, definition: `http://example.org/fhir/query/${name}` })),
  }));
  const others = objectsOf(rest['resource']).filter(({ type }) => queries[String(type)] === undefined);
  const template = {
    omitted: [],
    sortIndexes,
    statement: {
      ...statement,
      name: 'AllOfR4',
      title: 'All of R4',
      rest: [{ ...rest, resource: [...offering, ...others] }],
    },
  };
  return initAll(template, () => () => true, [], operations);
}

/** The named queries by type; `queries.json` beside the statement defines them. */
const queries: Readonly<Record<string, readonly string[]>> = {
  Condition: ['current-problems'],
  MedicationRequest: ['current-medications'],
  MedicationStatement: ['current-medications'],
  AllergyIntolerance: ['current-allergies', 'current-drug-allergies'],
  Observation: ['results-since'],
  Patient: ['roster'],
};

if (import.meta.main) {
  const folder = join(fileURLToPath(new URL('../fixtures/all-r4/capability', import.meta.url)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'all-r4.json'), `${JSON.stringify(await allR4(), null, 1)}\n`);
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asString, stringsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { extensionBase } from '../../src/model/extension-shapes.ts';
import { readOfficialSearchParameters, readTypeDefinitions, supertypes } from '../../src/model/type-definitions.ts';

/**
 * Makes test/fixtures/all-r4: a capability folder that declares every served interaction and $validate for every
 * resource type of R4, with every official search parameter that is served. Run it with `node
 * test/support/make-all-r4.ts` after `npm run distil`.
 */
export function allR4(): JsonObject {
  const types = readTypeDefinitions();
  // `_query` has no expression: nothing says how to index it.
  const parameters = readOfficialSearchParameters().filter(
    ({ code, expression }) => expression !== undefined || fullText.has(code),
  );
  const declared = (name: string): readonly JsonObject[] =>
    parameters
      .filter(({ base }) => stringsOf(base).includes(name))
      .map(({ code, url, type }) => ({ name: code, definition: url, type }))
      .sort((a, b) => ((asString(a.name) ?? '') < (asString(b.name) ?? '') ? -1 : 1));
  return {
    resourceType: 'CapabilityStatement',
    name: 'AllOfR4',
    title: 'All of R4',
    status: 'active',
    date: '2019-11-01',
    description: 'Every resource type of FHIR R4 with every official search parameter and every interaction.',
    kind: 'capability',
    software: { name: 'Clinical Records Service' },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        extension: [
          ...['chain', 'has', 'filter', 'score', 'contained'].map(valueCode => ({
            url: `${extensionBase}search-feature`,
            valueCode,
          })),
          ...modifiers.map(valueCode => ({ url: `${extensionBase}search-modifier`, valueCode })),
          { url: `${extensionBase}search-explain`, valueString: 'system/*.s' },
        ],
        mode: 'server',
        interaction: ['batch', 'history-system', 'search-system'].map(code => ({ code })),
        resource: [...types.resourceTypes].map(name =>
          withoutEmpty({
            extension: [
              { url: `${extensionBase}smart-scope`, valueString: `system/${name}.cruds` },
              ...(name === 'List'
                ? [{ url: `${extensionBase}indexed-only`, valueCanonical: `${ours}List-member` }]
                : []),
            ],
            type: name,
            interaction: interactions.map(code => ({ code })),
            versioning: 'versioned',
            readHistory: true,
            updateCreate: true,
            conditionalCreate: true,
            conditionalUpdate: true,
            conditionalDelete: 'multiple',
            conditionalRead: 'full-support',
            operation: [
              { name: 'validate', definition: 'http://hl7.org/fhir/OperationDefinition/Resource-validate' },
              ...(queries[name] ?? []).map(code => ({
                name: code,
                definition: `http://example.org/fhir/query/${code}`,
              })),
            ],
            searchInclude: ['*'],
            searchRevInclude: ['*'],
            searchParam: [name, ...supertypes(name, types).filter(base => base !== 'Resource')].flatMap(declared),
          }),
        ),
        searchParam: [...declared('Resource'), { name: '_list', definition: `${ours}Resource-list`, type: 'special' }],
        compartment: ['device', 'encounter', 'patient', 'practitioner', 'relatedPerson'].map(
          name => `http://hl7.org/fhir/CompartmentDefinition/${name}`,
        ),
      },
    ],
  };
}

/** They have no expression, and search the texts that R4 describes. */
const fullText: ReadonlySet<unknown> = new Set(['_text', '_content']);

/** Our search parameters. */
const ours = 'https://clinical-records.example/fhir/SearchParameter/';

/** The named queries by type; `queries.json` beside the statement defines them. */
const queries: Readonly<Record<string, readonly string[]>> = {
  Condition: ['current-problems'],
  MedicationRequest: ['current-medications'],
  MedicationStatement: ['current-medications'],
  AllergyIntolerance: ['current-allergies', 'current-drug-allergies'],
  Observation: ['results-since'],
  Patient: ['roster'],
};

const interactions = [
  'read',
  'vread',
  'update',
  'patch',
  'delete',
  'history-instance',
  'history-type',
  'create',
  'search-type',
];

/** The modifiers that need a declaration. */
const modifiers = ['text', 'ofType', 'in', 'not-in', 'type', 'identifier', 'above', 'below'];

/** An empty array is not allowed in FHIR JSON. */
const withoutEmpty = (resource: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(resource).filter(([, value]) => !Array.isArray(value) || value.length > 0));

if (import.meta.main) {
  const folder = join(fileURLToPath(new URL('../fixtures/all-r4/capability', import.meta.url)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'all-r4.json'), `${JSON.stringify(allR4(), null, 1)}\n`);
}

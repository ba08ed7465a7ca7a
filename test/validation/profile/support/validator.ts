import { fileURLToPath } from 'node:url';
import { definitionOf } from '../../../../src/definitions/definition.ts';
import { indexDefinitions } from '../../../../src/definitions/definitions.ts';
import type { JsonObject } from '../../../../src/fhir/json-object.ts';
import { readPacks } from '../../../../src/definitions/pack.ts';
import { readTypeDefinitions } from '../../../../src/model/type-definitions.ts';
import type { TerminologyServer } from '../../../../src/terminology/server.ts';
import { createValidator } from '../../../../src/validation/profile/validator.ts';
import type { ValidateOptions, Validator } from '../../../../src/validation/profile/validator.ts';

const pack = readPacks(fileURLToPath(new URL('../../../../profiles', import.meta.url)));
const types = readTypeDefinitions();

/** A validator over R4 and the definitions given. */
export const validatorOf = (...resources: readonly JsonObject[]): Validator => validatorWith(undefined, ...resources);

/** The same, which may ask a terminology server. */
export function validatorWith(server: TerminologyServer | undefined, ...resources: readonly JsonObject[]): Validator {
  const own = resources.map(resource => definitionOf(resource, { file: 'test', path: '', package: undefined }));
  return createValidator(indexDefinitions([...pack.definitions, ...own]).definitions, types, server);
}

export const url = (name: string): string => `https://example.org/fhir/StructureDefinition/${name}`;

/** A profile by its differential; each element is a path with what is said of it. */
export function profile(
  type: string,
  elements: Readonly<Record<string, JsonObject>>,
  more: JsonObject = {},
): JsonObject & { readonly url: string } {
  const name = typeof more['name'] === 'string' ? more['name'] : 'p';
  return {
    resourceType: 'StructureDefinition',
    url: url(name),
    name,
    status: 'draft',
    kind: /^(Extension|HumanName|Identifier|Quantity)$/.test(type) ? 'complex-type' : 'resource',
    abstract: false,
    type,
    baseDefinition: `http://hl7.org/fhir/StructureDefinition/${type}`,
    derivation: 'constraint',
    ...more,
    differential: {
      element: Object.entries(elements).map(([id, element]) => {
        const last = id.slice(id.lastIndexOf('.') + 1);
        const slice = last.includes(':') ? { sliceName: last.slice(last.indexOf(':') + 1) } : {};
        return { id, path: id.replace(/:[^.]*/g, ''), ...slice, ...element };
      }),
    },
  };
}

/** What is wrong, as `severity rule at expression`; reports of what was not checked are left out. */
export function problems(validator: Validator, resource: unknown, options: ValidateOptions = {}): readonly string[] {
  return validator
    .validate(resource, options)
    .filter(({ severity, rule }) => severity !== 'information' && rule !== 'dom-6')
    .map(({ severity, rule, code, expression }) => `${severity} ${rule ?? code} at ${expression ?? ''}`);
}

/** The same against one profile. */
export const against = (
  definition: JsonObject & { readonly url: string },
  resource: unknown,
  ...more: readonly JsonObject[]
) => problems(validatorOf(definition, ...more), resource, { profiles: [definition.url] });

export const observation = (rest: JsonObject = {}): JsonObject => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...rest,
});

export const patient = (rest: JsonObject = {}): JsonObject => ({ resourceType: 'Patient', active: true, ...rest });

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { definitionOf } from '../../../../src/definitions/definition.ts';
import { indexDefinitions } from '../../../../src/definitions/definitions.ts';
import { asObject } from '../../../../src/fhir/json-object.ts';
import type { JsonObject } from '../../../../src/fhir/json-object.ts';
import { readTypeDefinitions } from '../../../../src/model/type-definitions.ts';
import { createValidator } from '../../../../src/validation/profile/validator.ts';
import type { Validator } from '../../../../src/validation/profile/validator.ts';

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r4.examples/package.json'));
const files = readdirSync(folder)
  .filter(file => /^[A-Z]\w*-.*\.json$/.test(file))
  .sort();

export const readExample = (name: string): JsonObject =>
  asObject(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')));

/**
 * Names of the official examples: `Patient-example`. Bundles of all definitions are left out, which hold what is there
 * alone too.
 */
export const exampleNames: readonly string[] = files
  .filter(
    file =>
      !/^Bundle-(conceptmaps|dataelements|extensions|profiles|resources|searchParams|types|v[23]|valueset)/.test(file),
  ) // prettier-ignore
  .map(file => file.slice(0, -5));

/** The guide that names the codes for which R4 requires vital signs profiles. */
export const shippedGuide: JsonObject = asObject(
  JSON.parse(
    readFileSync(new URL('../../../../profiles/implementationguide-r4-vital-signs.json', import.meta.url), 'utf8'),
  ),
);

/**
 * A validator over everything that R4 publishes: profiles, extensions, ValueSets and CodeSystems in full, and the vital
 * signs that it requires.
 */
export function officialValidator(): Validator {
  const definitions = files
    .filter(file => /^(StructureDefinition|ValueSet|CodeSystem)-/.test(file))
    .map(file => readExample(file.slice(0, -5)))
    .filter(({ url }) => url !== undefined)
    .map(resource =>
      definitionOf(resource, { file: String(resource['id']), path: '', package: 'hl7.fhir.r4.examples' }),
    );
  const guide = definitionOf(shippedGuide, { file: 'guide', path: '', package: undefined });
  return createValidator(indexDefinitions([...definitions, guide]).definitions, readTypeDefinitions());
}

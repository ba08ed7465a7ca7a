import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { fhirPackage } from './definition-files.ts';

const source = join(import.meta.dirname, '../../node_modules/hl7.fhir.r4.examples');

/** Whether the R4 package is installed that the large package is made of. */
export const canMakeLargePackage = existsSync(source);

/**
 * A FHIR package of the size of US Core, made of R4 itself: 63 profiles with snapshots, differentials and prose, 110
 * SearchParameters, and the value sets and code systems of as many.
 */
export function largePackage(): Buffer {
  const read = (name: string): JsonObject => asObject(JSON.parse(readFileSync(join(source, name), 'utf8')));
  const first = (start: string, count: number): readonly JsonObject[] =>
    readdirSync(source)
      .filter(name => name.startsWith(start))
      .sort()
      .slice(0, count)
      .map(read);
  const types = first('StructureDefinition-', 700).filter(
    ({ kind, derivation, abstract }) => kind === 'resource' && derivation === 'specialization' && abstract === false,
  );
  const parameters = objectsOf(read('Bundle-searchParams.json')['entry'])
    .slice(0, 110)
    .map(({ resource }) => asObject(resource));
  const all = [
    ...types.slice(0, 63).map(type => ({ ...own(type), derivation: 'constraint', baseDefinition: type['url'] })),
    ...parameters.map(own),
    ...first('ValueSet-', 110).map(own),
    ...first('CodeSystem-', 40).map(own),
  ];
  const manifest = { name: 'org.example.large', version: '1.0.0', fhirVersions: ['4.0.1'] };
  return fhirPackage(manifest, Object.fromEntries(all.map((resource, at) => [`${at}.json`, resource])));
}

const own = (resource: JsonObject): JsonObject & { readonly url: string } => ({
  ...resource,
  url: String(resource['url']).replace(/^http:\/\/[^/]+/, 'https://large.example.org'),
});

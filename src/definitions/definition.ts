import { asObject, asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Digests } from './digests.ts';

/** One definition resource and where it was found; parsed only when it is asked for. */
export interface Definition extends Place {
  readonly resourceType: string;
  /** Canonical url, without version. */
  readonly url: string;
  readonly version: string | undefined;
  /** True for the reduced R4 pack, which gives way to anything. */
  readonly core: boolean;
  /** The resource type that a StructureDefinition makes, where it is not abstract and no profile. */
  readonly concrete: string | undefined;
  /** True where it is marked as not being the published one. */
  readonly incomplete?: boolean;
  /** True for a profile that does not say `derivation: constraint`. */
  readonly misderived?: boolean;
  /** Of a CodeSystem, where it is known without parsing. */
  readonly caseSensitive?: boolean;
  /** Of a SearchParameter, where they are known without parsing. */
  readonly parameter?: { readonly code: string; readonly bases: readonly string[] } | undefined;
  /** The definition of the R4 pack that has given way to this one, of the same url and version. */
  readonly replaces?: Definition;
  /** Where they are known without parsing. */
  readonly digests?: Digests | undefined;
  resource(): JsonObject;
}

/** Where a definition stands. */
export interface Place {
  /** File or `package.tgz/entry` as people know it: relative to the checkout or as it was given. */
  readonly file: string;
  /** Place in the file: empty for the file itself, `entry[3].resource` in a Bundle. */
  readonly path: string;
  /** The package that it came in; undefined for a plain file. */
  readonly package: string | undefined;
}

/** The kinds of resources that definitions are made of. https://hl7.org/fhir/R4/conformance-module.html */
export const definitionTypes: ReadonlySet<string> = new Set([
  'CapabilityStatement',
  'CodeSystem',
  'CompartmentDefinition',
  'ConceptMap',
  'ImplementationGuide',
  'OperationDefinition',
  'SearchParameter',
  'StructureDefinition',
  'ValueSet',
]);

/**
 * A parsed resource as a definition. `read` gives the resource again where it is not to be kept in memory; without it the
 * object is kept.
 */
export function definitionOf(resource: JsonObject, place: Place, read: () => JsonObject = () => resource): Definition {
  const { kind, abstract, derivation, type } = resource;
  const concrete = kind === 'resource' && abstract === false && derivation === 'specialization';
  return {
    resourceType: String(resource['resourceType']),
    url: asString(resource['url']) ?? '',
    version: asString(resource['version']),
    ...place,
    core: false,
    concrete: concrete ? asString(type) : undefined,
    incomplete: isIncomplete(resource),
    misderived: isProfile(resource) && derivation !== 'constraint',
    caseSensitive: resource['caseSensitive'] === true,
    resource: read,
  };
}

/** The extension that marks a definition as not the published one. */
export const incompleteUrl = 'https://clinical-records.example/fhir/StructureDefinition/incomplete';

export const isIncomplete = ({ extension }: JsonObject): boolean =>
  objectsOf(extension).some(({ url }) => url === incompleteUrl);

/**
 * Whether a StructureDefinition is a profile of a type, and does not make one, whatever its `derivation` says: its base is the
 * type itself, or its url is not that of the type. https://hl7.org/fhir/R4/structuredefinition-definitions.html#StructureDefinition.derivation
 */
export function isProfile({ kind, type, url, baseDefinition }: JsonObject): boolean {
  if (typeof type !== 'string' || typeof baseDefinition !== 'string' || kind === 'logical') return false;
  const isOf = (canonical: unknown): boolean => String(canonical).replace(/\|.*/, '').endsWith(`/${type}`);
  return isOf(baseDefinition) || !isOf(url);
}

/** A file's resource, or those of the entries of a Bundle, with their paths. https://hl7.org/fhir/R4/bundle.html */
export function resourcesIn(content: unknown): readonly { readonly path: string; readonly resource: JsonObject }[] {
  if (!isObject(content) || typeof content['resourceType'] !== 'string') return [];
  if (content['resourceType'] !== 'Bundle') return [{ path: '', resource: content }];
  return objectsOf(content['entry']).flatMap((entry, index) => {
    const resource = asObject(entry['resource']);
    return typeof resource['resourceType'] === 'string' ? [{ path: `entry[${index}].resource`, resource }] : [];
  });
}

/** The path of something in a definition, within its file. */
export const within = (definition: Place, path: string): string =>
  definition.path === '' ? path : path === '' ? definition.path : `${definition.path}.${path}`;

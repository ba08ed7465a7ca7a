import { asObject, asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Digests } from './digests.ts';

/** One definition resource and its source; parsed at its first use. */
export interface Definition extends DefinitionPlace {
  readonly resourceType: string;
  /** Canonical url, without version. */
  readonly url: string;
  readonly version: string | undefined;
  /** True for the reduced R4 pack, which any other definition replaces. */
  readonly core: boolean;
  /** The resource type that a StructureDefinition defines, unless it is abstract or a profile. */
  readonly concrete: string | undefined;
  /** True if it is marked as differing from the published one. */
  readonly incomplete?: boolean;
  /** True for a profile without `derivation: constraint`. */
  readonly misderived?: boolean;
  /** For a CodeSystem, if known without parsing. */
  readonly caseSensitive?: boolean;
  /** For a SearchParameter, if known without parsing. */
  readonly parameter?: { readonly code: string; readonly bases: readonly string[] } | undefined;
  /** The definition of the R4 pack with the same url and version that this one replaces. */
  readonly replaces?: Definition;
  /** If known without parsing. */
  readonly digests?: Digests | undefined;
  resource(): JsonObject;
}

/** A definition that is a record of a partition. */
export interface StoredDefinition extends Definition {
  readonly id: string;
  readonly status: string | undefined;
  /** Bytes of its text. */
  readonly size: number;
}

/** The source of a definition. */
export interface DefinitionPlace {
  /** File or `package.tgz/entry` for messages: relative to the checkout or as given. */
  readonly file: string;
  /** Path in the file: empty for the file itself, `entry[3].resource` in a Bundle. */
  readonly path: string;
  /** Its package; undefined for a plain file. */
  readonly package: string | undefined;
}

/** The resource types of definitions. https://hl7.org/fhir/R4/conformance-module.html */
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
  'ViewDefinition',
]);

/** R4 has no ViewDefinition. https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html */
export const isView = ({ resourceType }: Pick<Definition, 'resourceType'>): boolean =>
  resourceType === 'ViewDefinition';

/** The type of a definition: the first version of SQL on FHIR names that of views by a URL. */
const typeOf = ({ resourceType }: JsonObject): string =>
  String(resourceType).replace(/^https?:\/\/.*\/StructureDefinition\/ViewDefinition$/, 'ViewDefinition');

/** The canonical of a definition; a view may have none, and is then known by its name. */
function urlOf(resource: JsonObject): string {
  const { url, name } = resource;
  if (typeof url === 'string') return url;
  return typeof name === 'string' && typeOf(resource) === 'ViewDefinition' ? `urn:view:${name}` : '';
}

/**
 * The types whose records apply in their partition as soon as they are written.
 * https://hl7.org/fhir/R4/conformance-module.html
 */
export const storedTypes: ReadonlySet<string> = new Set([
  'CodeSystem',
  'ConceptMap',
  'Questionnaire',
  'SearchParameter',
  'StructureDefinition',
  'ValueSet',
]);

/**
 * The stored types that change what requests of other users mean: a scope must name them to write them, and as they
 * have nothing of a patient, each token may read them.
 */
export const sharedTypes: ReadonlySet<string> = new Set([...storedTypes].filter(name => name !== 'Questionnaire'));

/**
 * A parsed resource as a definition. `read` parses the resource again, so that it need not stay in memory; without it
 * the object is kept.
 */
export function definitionOf(
  resource: JsonObject,
  place: DefinitionPlace,
  read: () => JsonObject = () => resource,
): Definition {
  const { kind, abstract, derivation, type } = resource;
  const concrete = kind === 'resource' && abstract === false && derivation === 'specialization';
  return {
    resourceType: typeOf(resource),
    url: urlOf(resource),
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

/** The extension that marks a definition as differing from the published one. */
export const incompleteUrl = 'https://clinical-records.example/fhir/StructureDefinition/incomplete';

export const isIncomplete = ({ extension }: JsonObject): boolean =>
  objectsOf(extension).some(({ url }) => url === incompleteUrl);

/**
 * Whether a StructureDefinition is a profile of a type, whatever its `derivation` says: its base is the type itself, or
 * its url is not that of the type.
 * https://hl7.org/fhir/R4/structuredefinition-definitions.html#StructureDefinition.derivation
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

/** The path of an element of a definition, within its file. */
export const within = (definition: DefinitionPlace, path: string): string =>
  definition.path === '' ? path : path === '' ? definition.path : `${definition.path}.${path}`;

import { fileURLToPath } from 'node:url';
import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asObject, asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { packFile, readPack } from '../definitions/pack.ts';
import type { ElementDefinition, ElementType, Property, TypeDefinition, TypeDefinitions } from './element.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** Finds the StructureDefinition of a base type by its name; undefined if there is none. */
export type FindType = (name: string) => JsonObject | undefined;

/**
 * Type definitions that are compiled from snapshots at their first use, and cached.
 * https://hl7.org/fhir/R4/profiling.html#snapshot
 */
function compileTypeDefinitions(find: FindType, resourceTypes: ReadonlySet<string>): TypeDefinitions {
  const compiled = new Map<string, TypeDefinition | undefined>();
  return {
    resourceTypes,
    get(name) {
      if (!compiled.has(name)) {
        const structure = find(name);
        const isType = structure !== undefined && structure['type'] === name; // a profile of R4 has the name of a type
        compiled.set(name, isType ? compileType(structure) : undefined);
      }
      return compiled.get(name);
    },
  };
}

/**
 * The base types among definitions: those of R4 itself (4.0.1) if that version is loaded, so that no other release
 * replaces them.
 */
export function baseTypes(definitions: Definitions): TypeDefinitions {
  const find: FindType = name =>
    (
      definitions.find('StructureDefinition', `${base}${name}|4.0.1`) ??
      definitions.find('StructureDefinition', base + name)
    )?.resource();
  return compileTypeDefinitions(find, concreteResourceTypes(definitions.all('StructureDefinition')));
}

/** The type definitions of all of R4 from the pack under `profiles/`, without any capability file. */
export function readTypeDefinitions(): TypeDefinitions {
  const structures = readCore('StructureDefinition');
  return compileTypeDefinitions(
    name => structures.get(base + name)?.resource(),
    concreteResourceTypes(structures.values()),
  );
}

/** The types of R4 from that pack, which is read with the first of them. */
export const coreTypes: Pick<TypeDefinitions, 'get'> = { get: name => (core ??= readTypeDefinitions()).get(name) };

let core: TypeDefinitions | undefined;

/** The SearchParameter resources of R4 itself (1,375) from the pack under `profiles/`, in the order of their urls. */
export function readOfficialSearchParameters(): readonly JsonObject[] {
  return [...readCore('SearchParameter').values()].map(definition => definition.resource());
}

/** Names of the resource types among definitions that are not abstract. */
const concreteResourceTypes = (definitions: Iterable<Definition>): ReadonlySet<string> =>
  new Set([...definitions].flatMap(({ concrete }) => concrete ?? []).sort((a, b) => (a < b ? -1 : 1)));

/** Names of the types that a type specializes, nearest first. */
export function supertypes(typeName: string, types: TypeDefinitions): readonly string[] {
  const base = types.get(typeName)?.base;
  return base === undefined ? [] : [base, ...supertypes(base, types)];
}

/** The element tree of a snapshot, of a profile too: with its cardinalities and types, without slices. */
export function profiledDefinition({ structure, elements }: Pick<Snapshot, 'structure' | 'elements'>): TypeDefinition {
  const element = elements.filter(({ id }) => !String(id).includes(':'));
  return compileType({ ...structure, snapshot: { element } });
}

const base = 'http://hl7.org/fhir/StructureDefinition/';

function readCore(resourceType: string): ReadonlyMap<string, Definition> {
  const file = fileURLToPath(new URL(`../../profiles/${packFile}`, import.meta.url));
  const found = readPack(file, `profiles/${packFile}`).definitions.filter(one => one.resourceType === resourceType);
  return new Map(found.map(definition => [definition.url, definition]));
}

type Content = TypeDefinition & {
  readonly properties: Map<string, Property>;
  readonly elements: Map<string, ElementDefinition>;
};

/**
 * A type from its snapshot. Backbone elements become nested definitions; a contentReference shares that of its target.
 */
function compileType(structure: JsonObject): TypeDefinition {
  const name = String(structure['type']);
  const snapshot = objectsOf(asObject(structure['snapshot'])['element']);
  const root: Content = {
    name,
    kind: structure['kind'] as TypeDefinition['kind'], // checked when definitions are read
    abstract: structure['abstract'] === true,
    base: asString(structure['baseDefinition'])?.slice(base.length),
    properties: new Map(),
    elements: new Map(),
  };
  const contents = new Map([[name, root]]);
  for (const path of new Set(snapshot.map(element => parentOf(String(element['path']))))) {
    const type = objectsOf(snapshot.find(element => element['path'] === path)?.['type'])[0];
    if (path === '' || contents.has(path)) continue;
    contents.set(path, {
      name: path,
      kind: 'complex-type',
      abstract: false,
      base: asString(type?.['code']),
      properties: new Map(),
      elements: new Map(),
    });
  }
  for (const element of snapshot) {
    const path = String(element['path']);
    const owner = contents.get(parentOf(path));
    if (owner === undefined || element['sliceName'] !== undefined) continue;
    if (root.kind === 'primitive-type' && path === `${name}.value`) continue; // the JSON value itself
    add(owner, compileElement(element, contents, root.kind));
  }
  return root;
}

function add(owner: Content, element: ElementDefinition): void {
  owner.elements.set(element.name, element);
  for (const type of element.types) owner.properties.set(type.property, { element, type });
}

function compileElement(
  element: JsonObject,
  contents: ReadonlyMap<string, TypeDefinition>,
  kind: TypeDefinition['kind'],
): ElementDefinition {
  const path = String(element['path']);
  const last = path.slice(path.lastIndexOf('.') + 1);
  const choice = last.endsWith('[x]');
  const name = choice ? last.slice(0, -3) : last;
  const reference = asString(element['contentReference']);
  const content = contents.get(reference === undefined ? path : reference.slice(reference.indexOf('#') + 1));
  const binding = asObject(element['binding']);
  const valueSet = asString(binding['valueSet']);
  const types = reference === undefined ? objectsOf(element['type']) : [{ code: content?.base }];
  const resourceId = kind === 'resource' && name === 'id' && path.indexOf('.') === path.lastIndexOf('.');
  return {
    path,
    name,
    choice,
    min: Number(element['min'] ?? 0),
    max: element['max'] === '*' ? Infinity : Number(element['max'] ?? 1),
    summary: element['isSummary'] === true,
    modifier: element['isModifier'] === true,
    // `id` of elements and `url` of extensions have types of FHIRPath, and so has the id of a resource.
    attribute: !resourceId && types.some(({ code }) => String(code).startsWith(systemType)),
    types: types.map(type => compileElementType(type, name, choice, content, resourceId)),
    // a required code
    ...(valueSet === undefined ? {} : { binding: { strength: binding['strength'] as Strength, valueSet } }),
  };
}

type Strength = NonNullable<ElementDefinition['binding']>['strength'];

function compileElementType(
  type: JsonObject,
  name: string,
  choice: boolean,
  content: TypeDefinition | undefined,
  resourceId: boolean,
): ElementType {
  const code = typeCode(type, resourceId);
  const targets = stringsOf(type['targetProfile']).map(profile => profile.slice(profile.lastIndexOf('/') + 1));
  return {
    code,
    property: choice ? name + code.charAt(0).toUpperCase() + code.slice(1) : name,
    targets: targets.includes('Resource') ? [] : targets,
    ...(content === undefined ? {} : { content }),
  };
}

const systemType = 'http://hl7.org/fhirpath/';

/** The FHIR type; ids and the values of primitives are typed as FHIRPath strings and name theirs in an extension. */
function typeCode(type: JsonObject, resourceId: boolean): string {
  const code = String(type['code']);
  if (resourceId) return 'id';
  if (!code.startsWith(systemType)) return code;
  const named = objectsOf(type['extension']).find(({ url }) => url === `${base}structuredefinition-fhir-type`);
  return asString(named?.['valueUrl']) ?? code.slice(code.lastIndexOf('.') + 1).toLowerCase();
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

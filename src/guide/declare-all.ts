import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { systemInteractions, typeInteractions } from '../fhir/interaction.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { defaultCompartment, defaultLinkCodes } from '../model/access-rules.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { extensionBase } from '../model/extension-shapes.ts';
import type { ImplementedOperations } from '../model/implemented-operation.ts';
import type { OperationLevel } from '../model/model.ts';
import { hasEntries } from '../model/search-parameter.ts';
import { servedInteractions } from '../model/interactions.ts';
import { supertypes } from '../model/type-definitions.ts';
import type { InterfaceTemplate } from './template.ts';

/**
 * A CapabilityStatement that declares every chosen type of R4 with every interaction, search parameter, compartment and
 * operation of R4 that this server implements. The template adds what the definitions do not say.
 * https://hl7.org/fhir/R4/capabilitystatement.html
 */
export function declareAll(
  { statement, omitted, sortIndexes }: InterfaceTemplate,
  definitions: Definitions,
  types: TypeDefinitions,
  implemented: ImplementedOperations,
  isChosen: (typeName: string) => boolean = () => true,
): JsonObject {
  const without = new Set(omitted.map(({ type }) => type));
  const names = [...types.resourceTypes].filter(name => !without.has(name) && isChosen(name));
  const [rest = {}] = objectsOf(statement['rest']);
  const added = Map.groupBy(objectsOf(rest['resource']), ({ type }) => type);
  const parameters = parametersOf(definitions, names);
  const compartments = definitions
    .all('CompartmentDefinition')
    .map(one => one.resource())
    .filter(({ code }) => names.includes(String(code)));
  const owners = new Set(compartments.map(({ code }) => String(code)));
  const defined = definitions.all('OperationDefinition').map(one => one.resource());
  // One that is derived from another is served under the name of that one (model/operations.ts).
  const urls = new Set(defined.map(({ url }) => url));
  const operations = defined.filter(({ base }) => !urls.has(base));
  const operationsOn = (levels: readonly OperationLevel[], bases: readonly string[]): readonly JsonObject[] =>
    operations
      .filter(({ resource }) => stringsOf(resource).some(base => bases.includes(base)))
      .filter(one => isServed(one, levels, implemented))
      .filter(
        ({ code }) => implemented.get(String(code))?.ofCompartment !== true || bases.some(base => owners.has(base)),
      )
      .map(({ code, url }) => ({ name: code, definition: url }));
  const owner = asString(compartments.find(({ url }) => url === defaultCompartment)?.['code']);
  const resources = names.map(name => {
    const bases = [name, ...supertypes(name, types)];
    const [given = {}] = added.get(name) ?? [];
    const searchParam = parameters.on(bases.filter(isOfType));
    const isOwned =
      owner !== undefined && (name === owner || searchParam.some(definition => linksTo(definition, owner)));
    return withoutEmpty({
      extension: [
        ...scopesOf(isOwned).map(valueString => ({ url: `${extensionBase}smart-scope`, valueString })),
        ...(parameters.members.get(name) ?? []).map(valueCanonical => ({
          url: `${extensionBase}indexed-only`,
          valueCanonical,
        })),
        ...sortIndexesOf(searchParam, sortIndexes).map(valueCode => ({
          url: `${extensionBase}sort-index`,
          valueCode,
        })),
        ...objectsOf(given['extension']),
      ],
      type: name,
      interaction: served(typeInteractions),
      versioning: 'versioned',
      readHistory: true,
      updateCreate: true,
      conditionalCreate: true,
      conditionalUpdate: true,
      conditionalDelete: 'multiple',
      conditionalRead: 'full-support',
      operation: [...operationsOn(['type', 'instance'], bases), ...objectsOf(given['operation'])],
      searchInclude: ['*'],
      searchRevInclude: ['*'],
      searchParam: searchParam.map(printed),
    });
  });
  const everywhere = [...new Set(names.flatMap(name => supertypes(name, types)))].filter(base => !isOfType(base));
  return {
    ...statement,
    rest: [
      withoutEmpty({
        ...rest,
        interaction: served(systemInteractions),
        operation: operationsOn(['system'], [...types.resourceTypes, ...everywhere]),
        resource: resources,
        searchParam: parameters.on(everywhere).map(printed),
        compartment: compartments.map(({ url }) => url),
      }),
    ],
  };
}

/** The base of every type, whose parameters `rest` declares for all. https://hl7.org/fhir/R4/resource.html */
const isOfType = (base: string): boolean => base !== 'Resource';

/** The codes of the offered parameters that get a sort index: the first of each list. */
const sortIndexesOf = (offered: readonly JsonObject[], lists: InterfaceTemplate['sortIndexes']): readonly string[] =>
  lists.flatMap(list => list.find(code => offered.some(one => one['code'] === code)) ?? []);

/** The scopes on a type; those of a patient are for types whose records may belong to one. */
const scopesOf = (isOwned: boolean): readonly string[] =>
  [...(isOwned ? ['patient'] : []), 'user', 'system'].map(context => `${context}/*.cruds`);

const served = (codes: readonly string[]): readonly JsonObject[] =>
  codes.filter(code => servedInteractions.some(one => one === code)).map(code => ({ code }));

interface Parameters {
  /** The SearchParameters of R4 on these types, in the order of the types and the codes. */
  on(bases: readonly string[]): readonly JsonObject[];
  /** Lists by type the parameters that those of type special need on the records that have members. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/** The parameters of R4 that can be indexed, and those that find the members of a record of a chosen type. */
function parametersOf(definitions: Definitions, names: readonly string[]): Parameters {
  const offered = new Map<string, JsonObject[]>();
  const members = new Map<string, readonly string[]>();
  const offer = (one: Definition, definition: JsonObject): void => {
    for (const base of basesOf(one.replaces ?? one)) offered.set(base, [...(offered.get(base) ?? []), definition]);
  };
  for (const one of definitions.all('SearchParameter')) {
    const definition = one.resource();
    if ((one.core || one.replaces !== undefined) && hasEntries(definition)) offer(one, definition);
    const by = objectsOf(definition['extension']).find(({ url }) => url === `${extensionBase}referred-by`);
    if (by === undefined) continue;
    const canonical = asString(by['valueCanonical']) ?? '';
    const holders = stringsOf(definitions.find('SearchParameter', canonical)?.resource()['base']);
    if (!holders.every(holder => names.includes(holder))) continue;
    offer(one, definition);
    for (const holder of holders) members.set(holder, [...(members.get(holder) ?? []), canonical]);
  }
  const byCode = (a: JsonObject, b: JsonObject): number => (String(a['code']) < String(b['code']) ? -1 : 1);
  for (const of of offered.values()) of.sort(byCode);
  return { on: bases => bases.flatMap(base => offered.get(base) ?? []), members };
}

const basesOf = (definition: Definition): readonly string[] =>
  definition.parameter?.bases ?? stringsOf(definition.resource()['base']);

const printed = ({ code, url, type }: JsonObject): JsonObject => ({ name: code, definition: url, type });

/** True for the parameter by which a record belongs to one of the owner's type. */
const linksTo = ({ code, type, target }: JsonObject, owner: string): boolean =>
  type === 'reference' &&
  defaultLinkCodes.some(link => link === code) &&
  (target === undefined || stringsOf(target).includes(owner));

/** True if one of these levels of an OperationDefinition is implemented. Named queries are not. */
function isServed(
  definition: JsonObject,
  levels: readonly OperationLevel[],
  implemented: ImplementedOperations,
): boolean {
  const scopes = implemented.get(String(definition['code']))?.scopes ?? {};
  return (
    definition['kind'] !== 'query' && levels.some(level => definition[level] === true && scopes[level] !== undefined)
  );
}

/** An empty array is not allowed in FHIR JSON. */
const withoutEmpty = (resource: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(resource).filter(([, value]) => !Array.isArray(value) || value.length > 0));

import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { servedInteractions } from '../model/interactions.ts';
import { expectationOf, expectationOfValue, isUnwanted } from './expectation.ts';
import { everywhere } from './parameters.ts';
import type { GuideParameters, LeaveOut } from './parameters.ts';

/**
 * The requirements of a guide for servers on one type (`given`, a `rest.resource`), as a declaration of this server.
 * `isOpen` if the guide names no interaction: it then describes records, and not access.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource
 */
export function declareType(
  given: JsonObject,
  parameters: GuideParameters,
  isOpen: boolean,
  leaveOut: LeaveOut,
): JsonObject {
  const name = asString(given['type']) ?? '';
  const wanted = (element: string): readonly JsonObject[] => wantedItems(name, given, element, leaveOut);
  const texts = (element: string): readonly string[] => wantedTexts(name, given, element, leaveOut);
  const interactions = isOpen ? ['read', 'search-type'] : interactionsOf(name, given, leaveOut);
  const isSearchable = interactions.includes('search-type');
  const named = wanted('searchParam');
  if (!isSearchable && named.length > 0)
    for (const one of named)
      leaveOut(name, `the parameter \`${String(one['name'])}\``, needsInteraction, expectationOf(one));
  const searchParams = !isSearchable
    ? []
    : isOpen && named.length === 0
      ? parameters.all(name)
      : parameters.named(name, named);
  const includes = ['searchInclude', 'searchRevInclude'].filter(element => isRequested(given[element]));
  const conditions = conditionsOf(name, given, interactions, leaveOut);
  for (const element of [
    ...(isSearchable ? [] : includes),
    ...(interactions.includes('vread') ? [] : ['readHistory']),
    ...(interactions.includes('update') ? [] : ['updateCreate']),
  ])
    if (isRequested(given[element]))
      leaveOut(name, `\`${element}\``, needsInteraction, expectationOfValue(given, element));
  const policies = stringsOf(given['referencePolicy']);
  if (policies.length > 0)
    leaveOut(
      name,
      `\`referencePolicy\` ${policies.join(', ')}`,
      'Declare `enforced` if creates must reference existing records.',
    );
  return {
    type: name,
    ...(given['profile'] === undefined ? {} : { profile: given['profile'] }),
    supportedProfile: texts('supportedProfile'),
    interaction: interactions.map(code => ({ code })),
    versioning: versioningOf(name, given, interactions, leaveOut),
    ...(interactions.includes('update') && given['updateCreate'] === true ? { updateCreate: true } : {}),
    ...(interactions.includes('vread') && given['readHistory'] === false ? { readHistory: false } : {}),
    ...(interactions.includes('read') ? { conditionalRead: 'full-support' } : {}),
    ...conditions,
    searchParam: searchParams,
    ...Object.fromEntries(isSearchable ? includes.map(element => [element, texts(element)]) : []),
    operation: wanted('operation').map(({ name: operation, definition }) => ({ name: operation, definition })),
  };
}

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);
const needsInteraction = 'It needs an interaction that is not declared.';

/** Reads and searches as the guide names them; writes if the guide has the expectation shall or should, or none. */
function interactionsOf(name: string, given: JsonObject, leaveOut: LeaveOut): readonly string[] {
  return objectsOf(given['interaction']).flatMap(interaction => {
    const code = String(interaction['code']);
    const expectation = expectationOf(interaction);
    if (!servedInteractions.some(one => one === code)) {
      leaveOut(name, `\`${code}\``, 'It is not supported yet.', expectation);
      return [];
    }
    if (isUnwanted(expectation) || (writes.has(code) && expectation === 'MAY')) {
      leaveOut(
        name,
        `\`${code}\``,
        `The guide says ${expectation}; declare it, with a scope, if clients should have it.`,
      );
      return [];
    }
    return [code];
  });
}

const unwanted = (expectation: string | undefined): string =>
  `The guide says ${expectation}; declare it if clients should have it.`;

/** The items of a list, without those that the guide advises against. */
function wantedItems(name: string, given: JsonObject, element: string, leaveOut: LeaveOut): readonly JsonObject[] {
  const label = element === 'operation' ? 'the operation' : 'the parameter';
  return objectsOf(given[element]).filter(item => {
    const expectation = expectationOf(item);
    if (isUnwanted(expectation)) leaveOut(name, `${label} \`${String(item['name'])}\``, unwanted(expectation));
    return !isUnwanted(expectation);
  });
}

/** The values of a list, without those that the guide advises against. */
function wantedTexts(name: string, given: JsonObject, element: string, leaveOut: LeaveOut): readonly string[] {
  return stringsOf(given[element]).filter(text => {
    const expectation = expectationOfValue(given, element, text);
    if (isUnwanted(expectation)) leaveOut(name, `\`${element}\` \`${text}\``, unwanted(expectation));
    return !isUnwanted(expectation);
  });
}

/** `versioned-update` where the guide says so and records are updated; else what this server does. */
function versioningOf(name: string, given: JsonObject, served: readonly string[], leaveOut: LeaveOut): string {
  const versioning = asString(given['versioning']);
  if (versioning === undefined || versioning === 'versioned') return 'versioned';
  if (versioning === 'versioned-update' && (served.includes('update') || served.includes('patch'))) return versioning;
  leaveOut(
    name,
    `\`versioning\` ${versioning}`,
    'Records have versions, and a type without updates cannot require them.',
    expectationOfValue(given, 'versioning'),
  );
  return 'versioned';
}

/** The conditional writes that the guide names, by the interaction that each needs. */
function conditionsOf(name: string, given: JsonObject, served: readonly string[], leaveOut: LeaveOut): JsonObject {
  const needed = { conditionalCreate: 'create', conditionalUpdate: 'update', conditionalDelete: 'delete' };
  return Object.fromEntries(
    Object.entries(needed).flatMap(([element, interaction]): readonly [string, unknown][] => {
      const expectation = expectationOfValue(given, element);
      if (!isRequested(given[element])) return [];
      const isServed = served.includes('search-type') && served.includes(interaction);
      if (isServed && !isUnwanted(expectation)) return [[element, given[element]]];
      leaveOut(name, `\`${element}\``, isServed ? unwanted(expectation) : needsInteraction, expectation);
      return [];
    }),
  );
}

/**
 * The combinations of parameters by which the guide requires searches, of those that `declared` has, as extensions.
 * https://hl7.org/fhir/R4/extension-capabilitystatement-search-parameter-combination.html
 */
export function combinationsOf(given: JsonObject, declared: JsonObject, leaveOut: LeaveOut): readonly JsonObject[] {
  const offered = objectsOf(declared['searchParam']).map(one => String(one['name']));
  const codes = new Set([...everywhere.keys(), ...offered]);
  return objectsOf(given['extension']).flatMap(one => {
    if (one['url'] !== combinationUrl) return [];
    const parts = objectsOf(one['extension']).filter(({ url }) => url === 'required' || url === 'optional');
    const named = parts.flatMap(({ valueString }) => asString(valueString) ?? []);
    const expectation = expectationOf(one);
    if (!isUnwanted(expectation) && named.length > 0 && named.every(code => codes.has(code)))
      return [{ extension: parts, url: combinationUrl }];
    const why = isUnwanted(expectation) ? unwanted(expectation) : 'One of its parameters is not declared.';
    leaveOut(String(given['type']), `the combination of ${quoted(named)}`, why, expectation);
    return [];
  });
}

const combinationUrl = 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-search-parameter-combination';

const quoted = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ');

const isRequested = (value: unknown): boolean =>
  value === true ||
  (typeof value === 'string' && value !== 'not-supported') ||
  (Array.isArray(value) && value.length > 0);

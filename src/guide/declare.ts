import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { servedInteractions } from '../model/served.ts';
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
  const interactions = isOpen ? ['read', 'search-type'] : interactionsOf(name, given, leaveOut);
  const isSearchable = interactions.includes('search-type');
  const named = objectsOf(given['searchParam']);
  const searchParams = !isSearchable
    ? []
    : isOpen && named.length === 0
      ? parameters.all(name)
      : parameters.named(name, named);
  const includes = ['searchInclude', 'searchRevInclude'].filter(element => isRequested(given[element]));
  for (const element of [
    ...(isSearchable ? [] : includes),
    ...(interactions.includes('vread') ? [] : ['readHistory']),
    ...(interactions.includes('update') ? [] : ['updateCreate']),
    ...(isSearchable && interactions.includes('update') ? [] : ['conditionalUpdate']),
    ...(isSearchable && interactions.includes('delete') ? [] : ['conditionalDelete']),
  ])
    if (isRequested(given[element])) leaveOut(name, `\`${element}\``, 'It needs an interaction that is not declared.');
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
    supportedProfile: stringsOf(given['supportedProfile']),
    interaction: interactions.map(code => ({ code })),
    versioning: 'versioned',
    ...(interactions.includes('update') && given['updateCreate'] === true ? { updateCreate: true } : {}),
    ...(interactions.includes('vread') && given['readHistory'] === false ? { readHistory: false } : {}),
    ...(interactions.includes('read') ? { conditionalRead: 'full-support' } : {}),
    ...conditionsOf(given, isSearchable ? interactions : []),
    searchParam: searchParams,
    ...Object.fromEntries(isSearchable ? includes.map(element => [element, stringsOf(given[element])]) : []),
    operation: objectsOf(given['operation']).map(({ name: operation, definition }) => ({
      name: operation,
      definition,
    })),
  };
}

const writes: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

/** Reads and searches as the guide names them; writes if the guide has the expectation shall or should, or none. */
function interactionsOf(name: string, given: JsonObject, leaveOut: LeaveOut): readonly string[] {
  return objectsOf(given['interaction']).flatMap(interaction => {
    const code = String(interaction['code']);
    const expectation = expectationOf(interaction);
    if (!servedInteractions.some(one => one === code)) {
      leaveOut(name, `\`${code}\``, 'It is not supported yet.');
      return [];
    }
    if (expectation === 'SHOULD-NOT' || (writes.has(code) && expectation === 'MAY')) {
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

/** https://hl7.org/fhir/R4/extension-capabilitystatement-expectation.html */
const expectationOf = ({ extension }: JsonObject): string | undefined =>
  asString(objectsOf(extension).find(({ url }) => url === expectationUrl)?.['valueCode']);

const expectationUrl = 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-expectation';

/** The conditional writes that the guide names. */
const conditionsOf = ({ conditionalUpdate, conditionalDelete }: JsonObject, served: readonly string[]): JsonObject => ({
  ...(served.includes('update') && isRequested(conditionalUpdate) ? { conditionalUpdate } : {}),
  ...(served.includes('delete') && isRequested(conditionalDelete) ? { conditionalDelete } : {}),
});

const isRequested = (value: unknown): boolean =>
  value === true ||
  (typeof value === 'string' && value !== 'not-supported') ||
  (Array.isArray(value) && value.length > 0);

import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { servedInteractions } from '../model/served.ts';
import type { GuideParameters, LeaveOut } from './parameters.ts';

/**
 * What a guide asks of a server for one type (`given`, a `rest.resource`), as this server declares it. `isOpen` where the guide
 * names no interaction at all: it then says what records look like, and not how they are asked for.
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
  const searchParams = !isSearchable ? [] : isOpen && named.length === 0 ? parameters.all(name) : parameters.named(name, named); // prettier-ignore
  for (const element of [
    'searchInclude',
    'searchRevInclude',
    'readHistory',
    'updateCreate',
    'conditionalUpdate',
    'conditionalDelete',
  ])
    if (isAsked(given[element])) leaveOut(name, `\`${element}\``, 'It is not served.');
  const policies = stringsOf(given['referencePolicy']);
  if (policies.length > 0) leaveOut(name, `\`referencePolicy\` ${policies.join(', ')}`, 'Declare `enforced` where creates must refer to what is here.'); // prettier-ignore
  return {
    type: name,
    ...(given['profile'] === undefined ? {} : { profile: given['profile'] }),
    supportedProfile: stringsOf(given['supportedProfile']),
    interaction: interactions.map(code => ({ code })),
    versioning: 'versioned',
    ...(interactions.includes('read') ? { conditionalRead: 'full-support' } : {}),
    searchParam: searchParams,
    operation: objectsOf(given['operation']).map(({ name: operation, definition }) => ({
      name: operation,
      definition,
    })),
  };
}

/** Reads and searches as the guide names them; a create where it says that a server shall or should, or no more than its name. */
function interactionsOf(name: string, given: JsonObject, leaveOut: LeaveOut): readonly string[] {
  return objectsOf(given['interaction']).flatMap(interaction => {
    const code = String(interaction['code']);
    const expectation = expectationOf(interaction);
    if (!servedInteractions.some(one => one === code)) {
      leaveOut(name, `\`${code}\``, 'It is not served yet.');
      return [];
    }
    if (expectation === 'SHOULD-NOT' || (code === 'create' && expectation === 'MAY')) {
      leaveOut(
        name,
        `\`${code}\``,
        `The guide says ${expectation}; declare it, with a scope, where clients are to have it.`,
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

const isAsked = (value: unknown): boolean =>
  value === true ||
  (typeof value === 'string' && value !== 'not-supported') ||
  (Array.isArray(value) && value.length > 0);

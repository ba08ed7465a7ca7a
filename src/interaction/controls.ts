import { badValue, fhirError } from '../fhir/error.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { TypeDefinition } from '../model/element.ts';
import { isIgnored } from '../search/parse/ignorable.ts';
import { parseElements } from '../search/parse/result-parameters.ts';
import type { QueryPair } from '../search/request.ts';
import type { FhirRequest, Handling } from './interaction.ts';
import type { Subset } from './subset.ts';

/**
 * The parameters of an interaction that is not a search, by name. Throws FhirError 400 for a repeated one and, unless
 * the handling is lenient, for unknown and empty ones. https://hl7.org/fhir/R4/http.html#parameters
 */
export function controls(
  pairs: readonly QueryPair[],
  known: readonly string[],
  handling: Handling,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (found.has(name)) throw badValue(name, `\`${name}\` is repeated; send it once.`);
    if (!known.includes(name)) {
      if (isIgnored(name, { handling })) continue;
      const offered = [...known, '_format'].map(name => `\`${name}\``).join(', ');
      const text = `The parameter \`${name}\` is unknown.${didYouMean(name, known)} Use ${offered} and \`_pretty\`.`;
      throw fhirError(400, 'not-supported', text, `http.${name}`);
    }
    if (value !== '') found.set(name, value);
    else if (handling !== 'lenient') throw badValue(name, `\`${name}\` has no value; give it one or omit it.`);
  }
  return found;
}

/**
 * Refuses the parameters of a write, which has none: an ignored one could be a criterion. Throws FhirError 400, unless
 * the handling is lenient.
 */
export function refuseControls({ parameters, handling }: Pick<FhirRequest, 'parameters' | 'handling'>): void {
  controls(parameters, [], handling === 'usual' ? 'strict' : handling);
}

/** The part of one resource that `_summary` and `_elements` request. https://hl7.org/fhir/R4/search.html#summary */
export function subsetOf(given: ReadonlyMap<string, string>, type: TypeDefinition): Subset {
  const summary = given.get('_summary') ?? 'false';
  const elements = given.get('_elements');
  switch (summary) {
    case 'true':
    case 'text':
    case 'data':
    case 'false':
      return {
        summary,
        elements: elements === undefined ? undefined : parseElements(elements, [{ name: type.name, definition: type }]),
      };
    default:
      throw badValue(
        '_summary',
        `\`_summary=${summary}\` is not supported here: use \`true\`, \`text\`, \`data\` or \`false\`.`,
      );
  }
}

/** The `handling` of a Prefer header; that of the settings without one. https://www.rfc-editor.org/rfc/rfc7240 */
export const handlingOf = (prefer: string | undefined, setting: 'strict' | 'lenient'): Handling =>
  preferencesOf(prefer).handling ?? (setting === 'strict' ? 'usual' : setting);

/** The body of the answer to a write. https://hl7.org/fhir/R4/http.html#ops */
type Return = 'minimal' | 'representation' | 'OperationOutcome';

/** The `return` of a Prefer header; the representation without one, or for an unknown value. */
export const returnOf = (prefer: string | undefined): Return => preferencesOf(prefer).return ?? 'representation';

const handlings = ['strict', 'lenient'] as const;
const returns = ['minimal', 'representation', 'OperationOutcome'] as const;

interface Preferences {
  readonly handling: (typeof handlings)[number] | undefined;
  readonly return: Return | undefined;
}

const none: Preferences = { handling: undefined, return: undefined };

/** The last parsed header: all entries of a transaction, and most requests of a client, have the same. */
let last = { prefer: '', preferences: none };

function preferencesOf(prefer: string | undefined): Preferences {
  if (prefer === undefined) return none;
  if (prefer !== last.prefer) last = { prefer, preferences: parse(prefer) };
  return last.preferences;
}

/** The first known value of each. */
function parse(prefer: string): Preferences {
  const given = prefer.split(/[,;]/).map(preference => {
    const [name = '', value = ''] = preference.split('=').map(part => part.trim().toLowerCase());
    return { name, value: value.replaceAll('"', '') };
  });
  const first = <T extends string>(wanted: string, known: readonly T[]): T | undefined =>
    given
      .filter(({ name }) => name === wanted)
      .map(({ value }) => known.find(one => one.toLowerCase() === value))
      .find(found => found !== undefined);
  return { handling: first('handling', handlings), return: first('return', returns) };
}

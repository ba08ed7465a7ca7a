import { badValue, fhirError } from '../fhir/error.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { TypeDefinition } from '../model/element.ts';
import { isIgnored } from '../search/parse/ignorable.ts';
import { parseElements } from '../search/parse/result-parameters.ts';
import type { QueryPair } from '../search/request.ts';
import type { FhirRequest } from './interaction.ts';
import type { Handling } from './prefer.ts';
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

import { fhirError } from '../../../fhir/error.ts';
import type { FhirError } from '../../../fhir/error.ts';
import { asString } from '../../../fhir/json-object.ts';
import type { DescribedSystem } from '../../../terminology/concepts.ts';
import { isBelow } from '../../../terminology/code-system.ts';
import type { Arguments } from '../arguments.ts';
import { readArguments } from '../arguments.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction.ts';
import { printParameters } from '../parameters.ts';
import { askServer } from './ask-server.ts';
import { givenCodes, printCode } from './given-codes.ts';
import type { GivenCode } from './given-codes.ts';
import { givenDefinition } from './given-definition.ts';
import { terminologyOf } from '../../../terminology/service.ts';

/**
 * `$subsumes`: whether one code of a CodeSystem is above the other, by its hierarchy.
 * https://hl7.org/fhir/R4/codesystem-operation-subsumes.html
 */
export const subsumes: Interaction = async (engine, request) => {
  const given = readArguments(engine, request);
  const [a] = givenCodes(given, { code: 'codeA', coding: 'codingA' });
  const [b] = givenCodes(given, { code: 'codeB', coding: 'codingB' });
  if (a === undefined || b === undefined) throw new Error('A call has two codes');
  if (a.system !== b.system || a.version !== b.version)
    throw fhirError(400, 'invalid', 'Both codes must be of the same version of one system.');
  const system = systemOf(engine, request, given, a);
  if (system?.codes.complete !== true) {
    const why = 'no such CodeSystem is loaded completely';
    const unknown = fhirError(404, 'not-found', `The system of ${printCode(a)} cannot be searched: ${why}.`);
    return askServer(engine, request, given, unknown);
  }
  const body = printParameters([{ name: 'outcome', valueCode: outcomeOf(system, a, b) }]);
  return { status: 200, body };
};

/** The CodeSystem of the URL, or that of the codes. */
function systemOf(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
  { system, version }: GivenCode,
): DescribedSystem | undefined {
  const names = { type: request.resourceType ?? '', inline: 'codeSystem', version: 'version' };
  const definition = givenDefinition(engine, request, given, names);
  if (definition?.from === 'loaded') {
    const url = asString(definition.resource['url']);
    const { system: find } = terminologyOf(engine.definitions);
    if (system === undefined || system === url) return find(definition.canonical);
    throw fhirError(400, 'invalid', `The CodeSystem of the URL is \`${url}\`, and that of the codes is another one.`);
  }
  if (system === undefined) throw fhirError(400, 'required', 'Give the `system` of the codes.', 'http.system');
  return terminologyOf(engine.definitions).system(version === undefined ? system : `${system}|${version}`);
}

/** https://hl7.org/fhir/R4/valueset-concept-subsumption-outcome.html */
function outcomeOf({ resource, codes }: DescribedSystem, a: GivenCode, b: GivenCode): string {
  const meaning = asString(resource['hierarchyMeaning']);
  if (meaning !== undefined && meaning !== 'is-a')
    throw fhirError(422, 'not-supported', `The hierarchy of the CodeSystem is \`${meaning}\`, not \`is-a\`.`);
  const [one, other] = [codes.concept(a.code), codes.concept(b.code)];
  if (one === undefined) throw unknown(a);
  if (other === undefined) throw unknown(b);
  if (one.code === other.code) return 'equivalent';
  if (isBelow(other, one.code, codes)) return 'subsumes';
  return isBelow(one, other.code, codes) ? 'subsumed-by' : 'not-subsumed';
}

const unknown = (code: GivenCode): FhirError =>
  fhirError(404, 'not-found', `The CodeSystem does not have the code ${printCode(code)}.`);

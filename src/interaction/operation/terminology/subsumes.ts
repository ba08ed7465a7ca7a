import { fhirError } from '../../../fhir/error.ts';
import type { FhirError } from '../../../fhir/error.ts';
import { asString } from '../../../fhir/json-object.ts';
import { codeSystemOf, isBelow } from '../../../terminology/code-system.ts';
import type { CodeSystem } from '../../../terminology/code-system.ts';
import { withReads } from '../../../terminology/reads.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction.ts';
import { readArguments } from '../arguments.ts';
import type { Arguments } from '../arguments.ts';
import { printParameters } from '../parameters.ts';
import { askServer } from './ask-server.ts';
import { serviceOf, sourceOf, terminologyError } from './call.ts';
import { givenCodes, printCode } from './given-codes.ts';
import type { GivenCode } from './given-codes.ts';
import { givenDefinition } from './given-definition.ts';

/**
 * `$subsumes`: whether one code of a CodeSystem is above the other, by its hierarchy.
 * https://hl7.org/fhir/R4/codesystem-operation-subsumes.html
 */
export const subsumes: Interaction = async (engine, request, partition) => {
  const given = readArguments(engine, request);
  const [a] = givenCodes(given, { code: 'codeA', coding: 'codingA' });
  const [b] = givenCodes(given, { code: 'codeB', coding: 'codingB' });
  if (a === undefined || b === undefined) throw new Error('A call has two codes');
  if (a.system !== b.system || a.version !== b.version)
    throw fhirError(400, 'invalid', 'Both codes must be of the same version of one system.');
  const system = await systemOf(engine, request, partition, given, a);
  if (system?.complete !== true) {
    const why = 'no such CodeSystem is loaded completely';
    const text = `The system of ${printCode(a)} cannot be searched: ${why}.`;
    return askServer(engine, request, given, terminologyError(404, 'not-found', 'not-found', text));
  }
  const body = printParameters([{ name: 'outcome', valueCode: outcomeOf(system, a, b) }]);
  return { status: 200, body };
};

/** The CodeSystem of the URL, or that of the codes. */
async function systemOf(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  given: Arguments,
  { system, version }: GivenCode,
): Promise<CodeSystem | undefined> {
  const source = sourceOf(engine, given);
  const names = { type: 'CodeSystem', inline: 'codeSystem', version: 'version' } as const;
  const definition = givenDefinition(source, engine, request, given, names);
  if (definition?.from === 'loaded') {
    const url = asString(definition.resource['url']);
    if (system === undefined || system === url) return codeSystemOf(definition.resource);
    throw fhirError(400, 'invalid', `The CodeSystem of the URL is \`${url}\`, and that of the codes is another one.`);
  }
  if (system === undefined)
    throw terminologyError(400, 'invalid', 'invalid-data', 'Give the `system` of the codes.', 'http.system');
  const service = await serviceOf({ engine, partition, source }, given, undefined);
  return withReads(() => service.system(system, version));
}

/** https://hl7.org/fhir/R4/valueset-concept-subsumption-outcome.html */
function outcomeOf(system: CodeSystem, a: GivenCode, b: GivenCode): string {
  const meaning = asString(system.resource['hierarchyMeaning']);
  if (meaning !== undefined && meaning !== 'is-a')
    throw fhirError(422, 'not-supported', `The hierarchy of the CodeSystem is \`${meaning}\`, not \`is-a\`.`);
  const [one, other] = [system.concept(a.code), system.concept(b.code)];
  if (one === undefined) throw unknown(a);
  if (other === undefined) throw unknown(b);
  if (one.code === other.code) return 'equivalent';
  if (isBelow(other, one.code, system)) return 'subsumes';
  return isBelow(one, other.code, system) ? 'subsumed-by' : 'not-subsumed';
}

const unknown = (code: GivenCode): FhirError =>
  terminologyError(404, 'not-found', 'invalid-code', `The CodeSystem does not have the code ${printCode(code)}.`);

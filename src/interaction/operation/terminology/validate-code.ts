import { fhirError } from '../../../fhir/error.ts';
import type { FhirError } from '../../../fhir/error.ts';
import { asString } from '../../../fhir/json-object.ts';
import { TooCostly } from '../../../fhirpath/evaluate/errors.ts';
import { operationOf } from '../../../model/operation-call.ts';
import { PATTERNS_TOO_COSTLY } from '../../../terminology/expansion.ts';
import type { DescribedConcept, DescribedSystem } from '../../../terminology/concepts.ts';
import { describeSystem, inLanguage, isDisplayOf } from '../../../terminology/concepts.ts';
import { shorten } from '../../../validation/report.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../../interaction.ts';
import { readArguments } from '../arguments.ts';
import type { Arguments } from '../arguments.ts';
import { printParameters } from '../parameters.ts';
import { askServer } from './ask-server.ts';
import { givenCodes, printCode } from './given-codes.ts';
import type { GivenCode } from './given-codes.ts';
import { givenDefinition, notLoaded } from './given-definition.ts';
import type { GivenDefinition } from './given-definition.ts';
import { inlineUrl, withInline } from './loaded.ts';
import { terminologyOf } from '../../../terminology/service.ts';

/**
 * `$validate-code`: whether a code is in a ValueSet, or one of a CodeSystem, and whether its display is right. Of a
 * CodeableConcept one valid coding suffices. https://hl7.org/fhir/R4/valueset-operation-validate-code.html,
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html
 */
export const validateCode: Interaction = async (engine, request) => {
  const given = readArguments(engine, request);
  // The parameters of the OperationDefinition tell a set of codes from a system.
  const isOfSet = operationOf(engine.model, request)?.parameters.has('valueSet') === true;
  const codes = givenCodes(given, isOfSet ? { version: 'systemVersion' } : {});
  try {
    const membership = isOfSet
      ? setMembership(engine, request, given, codes)
      : systemMembership(engine, request, given, codes);
    if (!(membership instanceof Error)) return answer(given, codes, membership);
    return await askServer(engine, request, given, membership);
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error;
    throw fhirError(422, 'too-costly', `The ValueSet cannot be decided: ${PATTERNS_TOO_COSTLY}.`);
  }
};

/** What the codes of a call are compared with. */
interface Membership {
  /** Whether a code belongs; undefined if that cannot be decided here. */
  belongs(code: GivenCode): boolean | undefined;
  /** The CodeSystem of a code; undefined if it is not loaded. */
  system(code: GivenCode): DescribedSystem | undefined;
}

function setMembership(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
  codes: readonly GivenCode[],
): Membership | FhirError {
  const { resourceType: type = '' } = request;
  const definition = givenDefinition(engine, request, given, { type, inline: 'valueSet', version: 'valueSetVersion' });
  if (definition === undefined) throw fhirError(400, 'required', `Name the ${type} by its \`url\`.`, 'http.url');
  if (codes.some(({ system }) => system === undefined))
    throw fhirError(400, 'required', 'Give the `system` of the code.', 'http.system');
  if (definition.from === 'elsewhere') return notLoaded(type, definition.canonical);
  const { definitions } = engine;
  const { system, bindings: loaded } = terminologyOf(definitions);
  const terminology = definition.from === 'call' ? withInline(definitions, definition.resource) : loaded;
  const canonical = definition.from === 'call' ? inlineUrl : definition.canonical;
  return decidable(codes, 'the ValueSet', {
    belongs: code => terminology.contains(canonical, code.code, code.system),
    system: ({ system: url = '', version }) => system(version === undefined ? url : `${url}|${version}`),
  });
}

function systemMembership(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
  codes: readonly GivenCode[],
): Membership | FhirError {
  const { resourceType: type = '' } = request;
  const named = givenDefinition(engine, request, given, { type, inline: 'codeSystem', version: 'version' });
  const definition = named ?? bySystem(engine, codes);
  if (definition.from === 'elsewhere') return notLoaded(type, definition.canonical);
  const url = asString(definition.resource['url']);
  const loaded =
    definition.from === 'loaded' ? terminologyOf(engine.definitions).system(definition.canonical) : undefined;
  const system = loaded ?? describeSystem(definition.resource);
  return decidable(codes, 'the CodeSystem', {
    belongs: ({ code, system: of = url }) =>
      of === url && (system.concept(code) !== undefined || (system.codes.complete ? false : undefined)),
    system: () => system,
  });
}

/** The CodeSystem of a coding, if the call names none. */
function bySystem({ definitions }: Engine, codes: readonly GivenCode[]): GivenDefinition {
  const [{ system, version } = { system: undefined, version: undefined }] = codes;
  if (system === undefined) throw fhirError(400, 'required', 'Name the CodeSystem by its `url`.', 'http.url');
  const canonical = version === undefined ? system : `${system}|${version}`;
  const found = definitions.find('CodeSystem', canonical);
  return found === undefined
    ? { from: 'elsewhere', canonical }
    : { from: 'loaded', canonical, resource: found.resource() };
}

/** The membership, if it has one code that belongs or a decision about each of them. */
function decidable(codes: readonly GivenCode[], what: string, membership: Membership): Membership | FhirError {
  const decided = codes.map(code => membership.belongs(code));
  if (decided.includes(true) || !decided.includes(undefined)) return membership;
  const text = `The loaded definitions do not decide this: not all codes of ${what} are loaded.`;
  return fhirError(422, 'not-supported', text);
}

interface Result {
  readonly isValid: boolean;
  readonly message?: string;
  readonly display?: string | undefined;
}

function answer(given: Arguments, codes: readonly GivenCode[], membership: Membership): FhirResponse {
  const results = codes.map(code => resultOf(given, code, membership));
  const { isValid, message, display } = results.find(one => one.isValid) ?? results[0] ?? { isValid: false };
  const body = printParameters([
    { name: 'result', valueBoolean: isValid },
    ...(message === undefined ? [] : [{ name: 'message', valueString: message }]),
    ...(display === undefined ? [] : [{ name: 'display', valueString: display }]),
  ]);
  return { status: 200, body };
}

function resultOf(given: Arguments, code: GivenCode, membership: Membership): Result {
  if (membership.belongs(code) !== true)
    return { isValid: false, message: `The code ${printCode(code)} is not valid here.` };
  const concept = membership.system(code)?.concept(code.code);
  const display = concept && displayOf(concept, given.text('displayLanguage'));
  if (concept?.abstract === true && !given.flag('abstract'))
    return { isValid: false, message: `The code ${printCode(code)} is abstract.`, display };
  if (concept === undefined || code.display === undefined || isDisplayOf(concept, code.display))
    return { isValid: true, display };
  const message = `\`${shorten(code.display)}\` is not a display of ${printCode(code)}.`;
  return { isValid: false, message, display };
}

const displayOf = ({ display, designations }: DescribedConcept, language: string | undefined): string | undefined =>
  (language === undefined ? undefined : inLanguage(designations, language)) ?? display;

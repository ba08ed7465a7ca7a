import { FhirError, fhirError } from '../../../fhir/error.ts';
import { asObject, asString, isObject, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { operationOutcome } from '../../../fhir/outcome.ts';
import type { Issue } from '../../../fhir/outcome.ts';
import { TooCostly } from '../../../fhirpath/evaluate/errors.ts';
import { operationOf } from '../../../model/operation-call.ts';
import { PATTERNS_TOO_COSTLY } from '../../../terminology/expansion.ts';
import type { TerminologyService } from '../../../terminology/service.ts';
import { judgeCode, SetUnusable } from '../../../terminology/validate-code.ts';
import type { CodeIssue, CodeOptions, GivenCoding, Judged } from '../../../terminology/validate-code.ts';
import type { ValueSet } from '../../../terminology/value-set.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../../interaction.ts';
import { readArguments } from '../arguments.ts';
import type { Arguments } from '../arguments.ts';
import { printParameters } from '../parameters.ts';
import type { ParameterPart } from '../parameters.ts';
import { askServer } from './ask-server.ts';
import { issueType, languagesOf, notExpanded, serviceOf, sourceOf } from './call.ts';
import { givenDefinition, givenSet, notLoaded } from './given-definition.ts';

/**
 * `$validate-code`: whether a code is in a ValueSet, or one of a CodeSystem, and whether its display is right. Of a
 * CodeableConcept one valid coding suffices. https://hl7.org/fhir/R4/valueset-operation-validate-code.html,
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html
 */
export const validateCode: Interaction = async (engine, request, partition) => {
  const given = readArguments(engine, request);
  // The parameters of the OperationDefinition tell a set of codes from a system.
  const isOfSet = operationOf(engine.model, request)?.parameters.has('valueSet') === true;
  const codes = codesOf(given, isOfSet);
  try {
    const asked = isOfSet
      ? await inSet(engine, request, partition, given)
      : await inSystem(engine, request, partition, given, codes);
    if (asked instanceof FhirError) return await askServer(engine, request, given, asked);
    const { service, set, resource } = asked;
    const options = optionsOf(given, languagesOf(request, given, resource)?.languages, isOfSet);
    const judged: Judged[] = [];
    for (const code of asked.codes) judged.push(await judgeCode(service, set, code, options));
    const answer = answerTo(given, codes, judged, service);
    const isDecided = judged.some(({ isValid, isUndecided }) => isValid && !isUndecided);
    if (isDecided || !judged.some(({ isUndecided }) => isUndecided)) return answer;
    return await orFromServer(engine, request, given, answer);
  } catch (error) {
    if (error instanceof SetUnusable) throw notExpanded(error.message, error.kind);
    if (!(error instanceof TooCostly)) throw error;
    throw fhirError(422, 'too-costly', `The ValueSet cannot be decided: ${PATTERNS_TOO_COSTLY}.`);
  }
};

/** The answer of the terminology server, if there is one that knows more. */
async function orFromServer(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
  answer: FhirResponse,
): Promise<FhirResponse> {
  if (engine.terminologyOperations === undefined) return answer;
  const unknown = fhirError(422, 'not-supported', 'The code cannot be decided here.');
  try {
    return await askServer(engine, request, given, unknown);
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 422) return answer;
    throw error;
  }
}

function optionsOf(given: Arguments, languages: CodeOptions['languages'], isOfSet: boolean): CodeOptions {
  const [abstract] = given.all('abstract');
  return {
    abstract: typeof abstract === 'boolean' ? abstract : undefined,
    activeOnly: given.flag('activeOnly'),
    inferSystem: isOfSet && given.flag('inferSystem'),
    lenientDisplay: given.flag('lenient-display-validation'),
    membershipOnly: given.flag('valueset-membership-only'),
    languages,
  };
}

/** The codes of a call, and the FHIRPath of each. */
interface AskedCode extends GivenCoding {
  /** `CodeableConcept.coding[0]`, or empty for parameters of their own. */
  readonly path: string;
}

/** Throws FhirError 400 for none, and for several of `code`, `coding` and `codeableConcept`. */
function codesOf(given: Arguments, isOfSet: boolean): readonly AskedCode[] {
  const [code, coding, concept] = [given.text('code'), given.object('coding'), given.object('codeableConcept')];
  const ways = [code && '`code`', coding && '`coding`', concept && '`codeableConcept`'].filter(Boolean);
  if (ways.length === 0) throw fhirError(400, 'required', 'Give a code, as `code` or `coding`.', 'http.code');
  if (ways.length > 1) throw fhirError(400, 'invalid', `Give one of ${ways.join(' and ')}, not both.`);
  const version = given.text(isOfSet ? 'systemVersion' : 'version') ?? given.text('version');
  if (code !== undefined) {
    const system = given.text('system');
    if (isOfSet && system === undefined && !given.flag('inferSystem'))
      throw fhirError(400, 'required', 'Give the `system` of the code, or `inferSystem=true`.', 'http.system');
    return [{ system, version, code, display: given.text('display'), path: '' }];
  }
  if (coding !== undefined) return [{ ...codingOf(coding, version), path: 'Coding' }];
  const codings = objectsOf(concept?.['coding']);
  if (codings.length === 0)
    throw fhirError(400, 'required', '`codeableConcept` has no coding with a code.', 'http.codeableConcept');
  return codings.map((one, at) => ({ ...codingOf(one, version), path: `CodeableConcept.coding[${at}]` }));
}

function codingOf(coding: JsonObject, version: string | undefined): GivenCoding {
  const [system, own, code, display] = ['system', 'version', 'code', 'display'].map(name => asString(coding[name]));
  return { system, version: own ?? version, code, display };
}

interface AskedOf {
  readonly service: TerminologyService;
  readonly set: ValueSet | undefined;
  readonly resource: JsonObject | undefined;
  readonly codes: readonly AskedCode[];
}

async function inSet(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  given: Arguments,
): Promise<AskedOf | FhirError> {
  const found = await givenSet(engine, request, partition, given);
  return found instanceof FhirError ? found : { ...found, codes: codesOf(given, true) };
}

async function inSystem(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  given: Arguments,
  codes: readonly AskedCode[],
): Promise<AskedOf | FhirError> {
  const sent = given.object('codeSystem');
  const own = sent === undefined ? undefined : { ...sent, url: sent['url'] ?? inlineUrl };
  const source = sourceOf(engine, given, own);
  const names = { type: 'CodeSystem', inline: 'codeSystem', version: 'version' } as const;
  const definition = givenDefinition(source, engine, request, given, names);
  const service = await serviceOf({ engine, partition, source }, given, undefined);
  if (definition === undefined) {
    if (codes.some(({ system, path }) => system === undefined && path === ''))
      throw fhirError(400, 'required', 'Name the CodeSystem by its `url`.', 'http.url');
    return { service, set: undefined, resource: undefined, codes };
  }
  if (definition.from === 'elsewhere' && service.versions(definition.canonical.replace(/\|.*/s, '')).length === 0)
    return notLoaded('CodeSystem', definition.canonical);
  const url =
    definition.from === 'elsewhere'
      ? definition.canonical.replace(/\|.*/s, '')
      : asString(asObject(own ?? definition.resource)['url']);
  const version = definition.from === 'loaded' ? asString(definition.resource['version']) : undefined;
  const isNamed = given.text('version') !== undefined || request.id !== undefined;
  const named = codes.map(one => ({
    ...one,
    system: one.system ?? url,
    version: one.version ?? (isNamed ? version : undefined),
  }));
  return { service, set: undefined, resource: undefined, codes: named };
}

/** The canonical of a CodeSystem in a call that has none. */
const inlineUrl = 'urn:in-the-call';

function answerTo(
  given: Arguments,
  codes: readonly AskedCode[],
  judged: readonly Judged[],
  service: TerminologyService,
): FhirResponse {
  const concept = given.object('codeableConcept');
  const valid = judged.findIndex(({ isValid }) => isValid);
  const at = Math.max(valid, 0);
  const [chosen, asked] = [judged[at], codes[at]];
  const issues = concept === undefined ? issuesOf(codes[0], judged[0]) : issuesOfConcept(codes, judged, valid);
  const errors = issues.filter(({ severity }) => severity === 'error');
  const said = errors.length > 0 ? errors : issues.filter(({ kind }) => mentioned.has(kind?.code));
  const message = said.map(({ text }) => text).join(' ');
  const system = chosen?.system === inlineUrl ? undefined : chosen?.system;
  const parts: ParameterPart[] = [
    { name: 'result', valueBoolean: errors.length === 0 },
    ...part('message', 'valueString', message === '' ? undefined : message),
    ...part('display', 'valueString', chosen?.display),
    ...part('code', 'valueCode', concept === undefined || valid >= 0 ? asked?.code : undefined),
    ...part('system', 'valueUri', system),
    ...part('version', 'valueString', chosen?.version),
    ...part('normalized-code', 'valueCode', chosen?.normalized),
    ...(chosen?.inactive === true ? [{ name: 'inactive', valueBoolean: true }] : []),
    ...(concept === undefined ? [] : [{ name: 'codeableConcept', valueCodeableConcept: concept }]),
    ...[...new Set(judged.flatMap(({ unknown }) => unknown))].map(valueCanonical => ({
      name: 'x-caused-by-unknown-system',
      valueCanonical,
    })),
    ...service.supplements.map(one => ({
      name: 'used-supplement',
      valueCanonical: one.version === undefined ? one.url : `${one.url}|${one.version}`,
    })),
    ...(issues.length === 0 ? [] : [{ name: 'issues', resource: operationOutcome(issues) }]),
  ];
  return { status: 200, body: printParameters(parts) };
}

/** What the message of a valid code mentions. */
const mentioned: ReadonlySet<string | undefined> = new Set([
  'code-comment',
  'invalid-display',
  'invalid-code',
  'not-found',
]);

const part = (name: string, property: string, value: unknown): readonly ParameterPart[] =>
  value === undefined || isObject(value) ? [] : [{ name, [property]: value }];

const issuesOf = (code: AskedCode | undefined, judged: Judged | undefined): readonly Issue[] =>
  (judged?.issues ?? []).map(issue => issueAt(issue, code?.path ?? ''));

/** One valid coding of several suffices: what is wrong with others is a warning, but for those without a system. */
function issuesOfConcept(codes: readonly AskedCode[], judged: readonly Judged[], valid: number): readonly Issue[] {
  const own = judged.flatMap((one, at) =>
    one.issues.map(issue => {
      const isOutside = issue.type === 'not-in-vs';
      const isMild = issue.severity === 'error' && valid >= 0 && issue.type !== 'invalid-data';
      const severity = isOutside ? 'information' : isMild ? 'warning' : issue.severity;
      const type = isOutside ? 'this-code-not-in-vs' : issue.type;
      return issueAt({ ...issue, severity, type }, codes[at]?.path ?? '');
    }),
  );
  const isOutside = judged.some(({ issues }) => issues.some(({ type }) => type === 'not-in-vs'));
  if (valid >= 0 || !isOutside) return own;
  const text = 'No coding is valid and in the value set.';
  return [{ severity: 'error', code: 'code-invalid', text, kind: issueType('not-in-vs') }, ...own];
}

function issueAt({ severity, code, type, text, at }: CodeIssue, path: string): Issue {
  const names = [path, at].filter(name => name !== undefined && name !== '');
  const expression = at === undefined ? undefined : names.join('.') || 'code';
  return { severity, code, text, kind: issueType(type), ...(expression === undefined ? {} : { expression }) };
}

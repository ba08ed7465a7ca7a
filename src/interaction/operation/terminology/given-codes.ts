import { fhirError } from '../../../fhir/error.ts';
import { asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import type { Arguments } from '../arguments.ts';

/** A code of a call. */
export interface GivenCode {
  readonly system: string | undefined;
  readonly version: string | undefined;
  readonly code: string;
  readonly display: string | undefined;
}

/** The names of the parameters of a code. */
export interface CodeParameters {
  readonly code?: string;
  readonly coding?: string;
  /** The version of the system. */
  readonly version?: string;
}

/**
 * The codes of a call: `code` with `system`, one `coding`, or all of a `codeableConcept`. Throws FhirError 400 for
 * none, for several of these, and for a coding without a code. https://hl7.org/fhir/R4/terminology-service.html
 */
export function givenCodes(given: Arguments, names: CodeParameters = {}): readonly GivenCode[] {
  const { code: codeName = 'code', coding: codingName = 'coding', version = 'version' } = names;
  const [code, coding, concept] = [given.text(codeName), given.object(codingName), given.object('codeableConcept')];
  const ways = [
    code === undefined ? [] : [codeName],
    coding === undefined ? [] : [codingName],
    concept === undefined ? [] : ['codeableConcept'],
  ].flat();
  const [way, other] = ways.map(name => `\`${name}\``);
  if (way === undefined)
    throw fhirError(400, 'required', `Give a code, as \`${codeName}\` or \`${codingName}\`.`, `http.${codeName}`);
  if (other !== undefined) throw fhirError(400, 'invalid', `Give one of ${way} and ${other}, not both.`);
  if (code !== undefined)
    return [{ system: given.text('system'), version: given.text(version), code, display: given.text('display') }];
  const codings = (coding === undefined ? objectsOf(concept?.['coding']) : [coding]).flatMap(codeOf);
  if (codings.length > 0) return codings;
  throw fhirError(
    400,
    'required',
    `${way} has no coding with a code.`,
    `http.${coding ? codingName : 'codeableConcept'}`,
  );
}

function codeOf(coding: JsonObject): readonly GivenCode[] {
  const [system, version, code, display] = ['system', 'version', 'code', 'display'].map(name => asString(coding[name]));
  return code === undefined ? [] : [{ system, version, code, display }];
}

/** `system|code`, for texts. */
export const printCode = ({ system, code }: Pick<GivenCode, 'system' | 'code'>): string =>
  `\`${system === undefined ? '' : `${system}|`}${code}\``;

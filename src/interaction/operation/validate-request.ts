import { cutBody } from '../../attachment/cut.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import { compactJson } from '../../fhir/json.ts';
import type { Decimals } from '../../fhir/json.ts';
import { findStrings } from '../../fhir/find-strings.ts';
import type { Span } from '../../fhir/find-strings.ts';
import { items, properties } from '../../fhir/resource-text.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { ResourceType } from '../../model/model.ts';
import { shorten } from '../../validation/report.ts';
import { controls } from '../controls.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { cutAttachments, parseBody, pathOf, requireLength } from '../write/body.ts';

/** https://hl7.org/fhir/R4/valueset-resource-validation-mode.html */
export type Mode = 'create' | 'update' | 'delete' | 'profile';

/** A resource to validate, as received. */
export interface GivenResource {
  readonly value: unknown;
  readonly decimals: Decimals;
  /** Its JSON in UTF-8, with the attachments that were cut out of the value. */
  readonly body: Buffer;
}

export interface ValidateRequest {
  readonly mode: Mode | undefined;
  readonly profile: string | undefined;
  readonly resource: GivenResource | undefined;
}

/**
 * The arguments of `$validate`: `mode` and `profile` from the URL or from Parameters, the resource as the body or
 * within Parameters. In the value a placeholder replaces an attachment (attachment/cut.ts). Throws FhirError 400 for an
 * invalid call, and 413. https://hl7.org/fhir/R4/resource-operation-validate.html
 */
export function readValidateRequest(engine: Engine, type: ResourceType, request: FhirRequest): ValidateRequest {
  const { parameters, handling, body = nothing } = request;
  const given = controls(parameters, ['mode', 'profile'], handling);
  const sent = body.length === 0 ? undefined : readBody(body, type, engine.maxBody);
  const one = (name: 'mode' | 'profile'): string | undefined => {
    const [inUrl, inBody] = [given.get(name), sent?.[name]];
    if (inUrl !== undefined && inBody !== undefined && inUrl !== inBody)
      throw wrong(
        `\`${name}\` is \`${shorten(inUrl)}\` in the URL and \`${shorten(inBody)}\` in the body: send it once.`,
        name,
      );
    return inUrl ?? inBody;
  };
  const mode = one('mode');
  if (mode !== undefined && !isMode(mode)) {
    const text =
      `\`${shorten(mode)}\` is not a mode of \`$validate\`.${didYouMean(mode, modes)} They are ` +
      `\`${modes.join('`, `')}\`.`;
    throw wrong(text, 'mode');
  }
  return { mode, profile: one('profile'), resource: sent?.resource };
}

const nothing = Buffer.alloc(0);
const modes: readonly Mode[] = ['create', 'update', 'delete', 'profile'];
const isMode = (text: string): text is Mode => modes.some(mode => mode === text);

interface Sent {
  readonly mode?: string | undefined;
  readonly profile?: string | undefined;
  readonly resource?: GivenResource | undefined;
}

function readBody(body: Buffer, type: ResourceType, most: number): Sent {
  const { name: typeName, attachment } = type;
  const path = pathOf(attachment);
  const plain = cutAttachments(body, type);
  const { rest, spans } =
    attachment === undefined || plain.spans.length > 0 ? plain : cutBody(body, ['parameter', 'resource', ...path]);
  requireLength(rest, most, attachment);
  const { text, parsed } = parseBody(rest, 'Parameters');
  const { value, decimals } = parsed;
  const parts = isObject(value) && value['resourceType'] === 'Parameters' ? value['parameter'] : undefined;
  const isCall = typeName !== 'Parameters' || (Array.isArray(parts) && parts.every(isPart));
  if (!isObject(value) || value['resourceType'] !== 'Parameters' || !isCall)
    return { resource: { value, decimals, body } };
  const unknown = Object.keys(value).find(name => !ownProperties.includes(name));
  if (unknown !== undefined)
    throw malformed(`Parameters has no element \`${shorten(unknown)}\`.${didYouMean(unknown, ownProperties)}`);
  if (parts !== undefined && !Array.isArray(parts))
    throw malformed('`Parameters.parameter` must be an array.', '.parameter');
  const found = new Map<string, unknown>();
  let resource: GivenResource | undefined;
  for (const [index, part] of ((parts ?? []) as readonly unknown[]).entries()) {
    const name = isObject(part) ? part['name'] : undefined;
    const at = `.parameter[${index}]`;
    if (!isObject(part) || typeof name !== 'string' || !isPart(part)) {
      const what = typeof name === 'string' ? `\`${shorten(name)}\`` : 'a part without a name';
      const meant = typeof name === 'string' ? didYouMean(name, names) : '';
      throw malformed(`\`$validate\` takes \`${names.join('`, `')}\`, not ${what}.${meant}`, at);
    }
    if (found.has(name)) throw malformed(`\`${name}\` is repeated: send it once.`, at);
    found.set(name, name === 'resource' ? undefined : textIn(part, name, at));
    if (name !== 'resource') continue;
    const inner = part['resource'];
    if (inner === undefined) throw malformed('The parameter `resource` has no `resource`.', at);
    const own = Buffer.from(resourceText(text, index));
    resource = { value: inner, decimals, body: spans.length === 0 ? own : restored(own, path, body, spans) };
  }
  const of = (name: string): string | undefined => found.get(name) as string | undefined; // a text of textIn
  return { mode: of('mode'), profile: of('profile'), resource };
}

const names = ['resource', 'mode', 'profile'];
const ownProperties = ['resourceType', 'id', 'meta', 'implicitRules', 'language', 'parameter'];
const isPart = (part: unknown): boolean => isObject(part) && names.includes(String(part['name']));

/** The text of a parameter: `mode` is a code and `profile` a uri, and clients also send other string types. */
function textIn(part: JsonObject, name: string, at: string): string {
  const [value, ...more] = Object.keys(part).filter(key => key.startsWith('value'));
  const text = value !== undefined && more.length === 0 && stringTypes.includes(value) ? part[value] : undefined;
  if (typeof text === 'string' && text !== '') return text;
  const type = name === 'mode' ? 'valueCode' : 'valueUri';
  throw malformed(`The parameter \`${name}\` requires one text, as \`${type}\`.`, at);
}

const stringTypes = ['valueCode', 'valueString', 'valueUri', 'valueUrl', 'valueCanonical'];

/** The resource in the parameter with an index, as written. */
function resourceText(text: string, index: number): string {
  const parts = properties(compactJson(text)).find(({ name }) => name === '"parameter"')?.value ?? '[]';
  const part = items(parts)[index] ?? '{}';
  return properties(part).find(({ name }) => name === '"resource"')?.value ?? '';
}

/** A resource with the content that was cut out of the body around it. */
function restored(resource: Buffer, path: readonly string[], body: Buffer, spans: readonly Span[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [index, hole] of findStrings(resource, path).entries()) {
    const span = spans[index];
    if (span === undefined) break;
    parts.push(resource.subarray(from, hole.from), body.subarray(span.from, span.to));
    from = hole.to;
  }
  return Buffer.concat([...parts, resource.subarray(from)]);
}

const wrong = (text: string, parameter: string): FhirError => fhirError(400, 'value', text, `http.${parameter}`);

/** The Parameters of a call are malformed; `at` is the place in them. */
const malformed = (text: string, at = ''): FhirError => fhirError(400, 'structure', text, `Parameters${at}`);

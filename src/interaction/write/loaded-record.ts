import { checkStored } from '../../validation/definition/check-stored.ts';
import { attachmentPlaces, holdsText } from '../../attachment/content.ts';
import { FhirError } from '../../fhir/error.ts';
import { JsonError, parseJson } from '../../fhir/json.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import { isTooLong } from '../../store/record/changes.ts';
import { longestRecord } from '../../store/port/records.ts';
import type { Precondition } from '../../store/port/records.ts';
import { policyOf } from '../../validation/policy.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { ParsedText } from '../interaction.ts';
import type { CarryingChange, LoadContext, RecordChecks } from './context.ts';
import { checkRecord, cutRecord, putOf } from './record.ts';
import type { CutRecord } from './record.ts';

/** A change with findings that do not reject it. */
export interface CheckedChange extends CarryingChange {
  readonly warnings: readonly Issue[];
}

/** The outcome of a record. */
export type Outcome =
  | ({ readonly kind: 'change' } & CheckedChange)
  /** Its type is not declared. */
  | { readonly kind: 'skip'; readonly type: string }
  /** It changes nothing. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reject'; readonly issues: readonly Issue[] };

/** The destination of a resource. */
export interface Destination {
  /** Returns the id to store it under; `own` is its own. */
  readonly id: (own: string | undefined) => string;
  readonly precondition?: Precondition | undefined;
}

/** A resource as it was received. */
export interface ReceivedResource extends ParsedText {
  /** Its bytes with attachments that are cut out of the text already. */
  readonly body?: Buffer | undefined;
}

/**
 * The change that stores a loaded resource: skipped or rejected if its type is not declared, rejected with all errors
 * and warnings if it has an error. Its attachments are cut out and stored separately; an exported record has none.
 * https://hl7.org/fhir/R4/validation.html
 */
export async function readLoadedRecord(
  context: LoadContext,
  received: ReceivedResource,
  { id, precondition }: Destination,
): Promise<Outcome> {
  const { model, undeclared } = context;
  const { parsed } = received;
  const value = isObject(parsed.value) ? parsed.value : {};
  const name = asString(value['resourceType']) ?? '';
  const type = model.types.get(name);
  if (type === undefined) {
    if (!model.definitions.resourceTypes.has(name))
      return reject(checkStructure(parsed.value, model, undefined, { decimals: parsed.decimals }));
    return undeclared === 'skip' ? { kind: 'skip', type: name } : reject([notDeclared(name)]);
  }
  try {
    const { found, structure, rules, ...record } = await checkRecord(checksOfLoad(context), cut(type, received), true);
    const defined = checkStored(value, asString(value['id']), context);
    if (structure.length + rules.length + defined.length > 0)
      return reject([...new Set([...found, ...structure, ...rules, ...defined])]);
    const put = putOf(name, id(asString(value['id'])), record.text, record.parsed ?? parseJson(record.text));
    if (isTooLong(put.text)) return reject([tooLong(name)]);
    const change = precondition === undefined ? put : { ...put, precondition };
    const warnings = found.filter(({ severity }) => severity === 'warning');
    return { kind: 'change', change, contents: record.contents, warnings };
  } catch (error) {
    if (error instanceof FhirError) return reject(error.issues);
    throw error;
  }
}

const reject = (issues: readonly Issue[]): Outcome => ({ kind: 'reject', issues });

/** A record without attachments is not copied into bytes. */
function cut(type: ResourceType, { text, parsed, body }: ReceivedResource): CutRecord {
  const { attachment } = type;
  if (body !== undefined) return cutRecord(type, body, { text, parsed });
  const holds =
    attachment !== undefined && attachmentPlaces(parsed.value, attachment).some(at => holdsText(at, attachment));
  return holds ? cutRecord(type, Buffer.from(text)) : { type, text, parsed, body: nothing, spans: [] };
}

const nothing = Buffer.alloc(0);

/** The checks of a load: at once, without a limit. */
const checksOfLoad = ({ model, validator }: Pick<LoadContext, 'model' | 'validator'>): RecordChecks => ({
  occasion: 'load',
  validate: (type, { value, decimals }, weigh) => {
    const profiles = type.profile === undefined ? [] : [type.profile];
    if (profiles.length === 0 && policyOf(type, 'load') === 'off')
      return checkStructure(value, model, undefined, { decimals });
    return validator.validate(value, { profiles, decimals, weigh });
  },
});

export const notDeclared = (type: string): Issue => ({
  severity: 'error',
  code: 'not-supported',
  text: `The type \`${type}\` is not declared by the capability files.`,
});

const tooLong = (type: string): Issue => ({
  severity: 'error',
  code: 'too-long',
  text: `The record exceeds the size limit of ${longestRecord} bytes.`,
  expression: type,
});

/** The issue of a text that is not strict JSON; other errors are rethrown. */
export function jsonIssue(error: unknown): Issue {
  if (!(error instanceof JsonError)) throw error;
  const { message, path, line, column } = error;
  return { severity: 'fatal', code: 'structure', text: `${message} (${path}, line ${line}, column ${column})` };
}

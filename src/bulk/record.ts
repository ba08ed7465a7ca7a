import { type ParsedJson, JsonError } from '../fhir/json.ts';
import type { Issue } from '../fhir/outcome.ts';
import { splitForStamp } from '../fhir/resource-text.ts';
import type { CarryingChange } from '../attachment/write.ts';
import type { Attachment, ResourceType } from '../model/model.ts';
import { isTooLong } from '../store/record-length.ts';
import { longestRecord, type Precondition } from '../store/records.ts';
import { checkRecord } from './check.ts';
import type { LoadContext } from './context.ts';
import { cutRecord } from './cut-record.ts';
import { isObject } from '../fhir/json-object.ts';

/** A change with what was found in it that rejects nothing. */
export interface CheckedChange extends CarryingChange {
  readonly warnings: readonly Issue[];
}

/** What becomes of a record. */
export type Outcome =
  | ({ readonly kind: 'change' } & CheckedChange)
  /** Its type is not declared. */
  | { readonly kind: 'skip'; readonly type: string }
  /** What it asks for is so already. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reject'; readonly issues: readonly Issue[] };

/** Where a resource goes; what is not said comes from the resource. */
export interface Destination {
  readonly id?: string;
  /** Asked where the resource has no id. */
  readonly newId: () => string;
  readonly precondition?: Precondition;
}

/**
 * The change that stores a resource, from its text and the parsed text: skipped or rejected where its type is not declared,
 * rejected with all that is wrong where something is that rejects it. The content of an attachment is cut out, so that it is stored apart.
 */
export async function prepareRecord(
  context: LoadContext,
  text: string,
  parsed: ParsedJson,
  destination: Destination,
): Promise<Outcome> {
  const { model, undeclared } = context;
  const value = isObject(parsed.value) ? parsed.value : {};
  const name = value['resourceType'];
  const type = typeof name === 'string' ? model.types.get(name) : undefined;
  if (type === undefined && typeof name === 'string' && model.definitions.resourceTypes.has(name)) {
    return undeclared === 'skip' ? { kind: 'skip', type: name } : { kind: 'reject', issues: [notDeclared(name)] };
  }
  const cut = hasAttachment(type) ? await cutRecord(text, parsed, type, context) : undefined;
  const issues = cut?.issues ?? checkRecord(context, type, parsed.value, parsed.decimals, true);
  if (issues.some(({ severity }) => severity === 'error' || severity === 'fatal')) return { kind: 'reject', issues };
  const id = destination.id ?? (typeof value['id'] === 'string' ? value['id'] : destination.newId());
  const parts = splitForStamp(cut?.text ?? text, id);
  if (isTooLong(parts)) return { kind: 'reject', issues: [tooLong(String(name))] };
  return {
    kind: 'change',
    change: {
      kind: 'put',
      type: String(name),
      id,
      text: parts,
      parsed: cut?.parsed ?? parsed,
      ...(destination.precondition === undefined ? {} : { precondition: destination.precondition }),
    },
    contents: cut?.contents ?? [],
    warnings: issues.filter(({ severity }) => severity === 'warning'),
  };
}

const hasAttachment = (type: ResourceType | undefined): type is ResourceType & { readonly attachment: Attachment } =>
  type?.attachment !== undefined;

export const notDeclared = (type: string): Issue => ({
  severity: 'error',
  code: 'not-supported',
  text: `The type \`${type}\` is not declared by the capability files.`,
});

const tooLong = (type: string): Issue => ({
  severity: 'error',
  code: 'too-long',
  text: `The record is longer than the ${longestRecord} bytes that one may have.`,
  expression: type,
});

/** The issue that a text has which is not strict JSON; other errors are thrown again. */
export function jsonIssue(error: unknown): Issue {
  if (!(error instanceof JsonError)) throw error;
  const { message, path, line, column } = error;
  return { severity: 'fatal', code: 'structure', text: `${message} (${path}, line ${line}, column ${column})` };
}

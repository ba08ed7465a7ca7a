import { attachmentPlaces, checkAttached, holdsText, readContents } from '../../attachment/content.ts';
import type { Content } from '../../attachment/content.ts';
import type { CutBody } from '../../attachment/cut.ts';
import { withoutProperty } from '../../fhir/edit-text.ts';
import { asObject, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { compactJson } from '../../fhir/json.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { splitForStamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Put } from '../../store/port/records.ts';
import { severityFor } from '../../validation/policy.ts';
import type { ValidationIssue } from '../../validation/profile/findings.ts';
import { isSubsetTag } from '../subset.ts';
import type { ParsedText } from '../interaction.ts';
import { cutAttachments, parseBody, pathOf, requireLength } from './body.ts';
import type { RecordChecks } from './context.ts';

/** A parsed resource to store, without the base64 of its attachments (attachment/cut.ts). */
export interface CutRecord {
  readonly type: ResourceType;
  /** With a short base64 in the place of each attachment. */
  readonly text: string;
  readonly parsed: ParsedJson;
  /** Has the attachments at `spans`; they are decoded in place, which overwrites it. */
  readonly body: Buffer;
  readonly spans: CutBody['spans'];
}

/**
 * Cuts the attachments of a type out of a body and parses the rest, unless its text is known. Throws FhirError 400 for
 * JSON that is not strict, and 413 for too many attachments, or for more than `most` bytes beside them.
 */
export function cutRecord(type: ResourceType, body: Buffer, known?: ParsedText, most = Infinity): CutRecord {
  const { rest, spans } = cutAttachments(body, type);
  requireLength(rest, most, type.attachment);
  return { type, ...(known ?? parseBody(rest, type.name)), body, spans };
}

/** A record without its attachments, and the findings about it. */
export interface CheckedRecord {
  /** Compact. */
  readonly text: string;
  readonly resource: JsonObject;
  /** The parsed text; undefined if it had attachments. */
  readonly parsed: ParsedJson | undefined;
  /** The decoded attachments. */
  readonly contents: readonly Content[];
  /** The findings of the definitions. */
  readonly found: readonly ValidationIssue[];
  /** Errors of structure. */
  readonly structure: readonly Issue[];
  /** Errors of other rules. */
  readonly rules: readonly ValidationIssue[];
}

/**
 * Checks a record by the definitions, decodes the attachments within `record.body`, and checks each. With `hasFormer`
 * it replaces a version, whose attachments stay if it has none. Throws FhirError 413 for content that is too large.
 * https://hl7.org/fhir/R4/validation.html, https://hl7.org/fhir/R4/datatypes.html#attachment
 */
export async function checkRecord(
  { occasion, validate }: RecordChecks,
  record: CutRecord,
  hasFormer: boolean,
): Promise<CheckedRecord> {
  const { type, parsed, body, spans } = record;
  const { name, attachment } = type;
  const keptApart = hasFormer && spans.length === 0;
  const found = await validate(type, parsed, severityFor(type, { occasion, keptApart }));
  const errors = found.filter(({ severity }) => severity === 'error');
  const structure: Issue[] = errors.filter(isOfStructure);
  const rules: Issue[] = [...errors.filter(issue => !isOfStructure(issue)), ...subsetIssues(parsed.value, name)];
  const places = attachment === undefined ? [] : attachmentPlaces(parsed.value, attachment);
  let contents: readonly Content[] = [];
  if (attachment !== undefined) {
    for (const place of places) {
      const isOptional = keptApart || occasion === 'load';
      if (!isOptional || holdsText(place, attachment)) rules.push(...checkAttached(place, attachment));
    }
    contents = await readContents(body, spans, places, attachment, { structure, rules });
  }
  return {
    text: textWithoutAttachments(record),
    resource: isObject(parsed.value) ? parsed.value : {},
    parsed: spans.length === 0 ? parsed : undefined,
    contents,
    found,
    structure,
    rules,
  };
}

/**
 * An error for a resource whose own `meta.tag` says that elements are left out: as a record it would replace the whole
 * one. Resources inside it are not looked at. https://hl7.org/fhir/R4/search.html#elements
 */
function subsetIssues(resource: unknown, typeName: string): readonly ValidationIssue[] {
  const { tag } = asObject(asObject(asObject(resource)['meta']));
  const at = Array.isArray(tag) ? tag.findIndex(isSubsetTag) : -1;
  if (at === -1) return [];
  const text =
    'The tag `SUBSETTED` says that elements are left out of this resource, which would then be lost. ' +
    'Read the record without `_summary` and `_elements`, change that and send it; a whole resource has no such tag.';
  const expression = `${typeName}.meta.tag[${at}]`;
  return [{ severity: 'error', code: 'business-rule', text, expression, rule: 'subsetted' }];
}

/** Findings of profiles and of R4's own rules name their rule; those of the structure check do not. */
export const isOfStructure = ({ rule }: ValidationIssue): boolean => rule === undefined;

/** The compact text of a record without its attachments. */
function textWithoutAttachments({ type, text, parsed, spans }: CutRecord): string {
  const compact = parsed.compact ? text : compactJson(text);
  return spans.length === 0 ? compact : withoutProperty(compact, pathOf(type.attachment));
}

/** The change that stores a text under an id; `parsed` is its value, if that is known, which may have another id. */
export function putOf(type: string, id: string, text: string, parsed?: ParsedJson): Put {
  const put = { kind: 'put', type, id, text: splitForStamp(text, id) } as const;
  if (parsed === undefined || !isObject(parsed.value)) return put;
  const { value } = parsed;
  return { ...put, parsed: value['id'] === id ? parsed : { ...parsed, value: { ...value, id } } };
}

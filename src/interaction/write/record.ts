import { attachmentPlaces, checkAttached, holdsText, readContents } from '../../attachment/content.ts';
import type { Content } from '../../attachment/content.ts';
import type { CutBody } from '../../attachment/cut.ts';
import { withoutProperty } from '../../fhir/edit-text.ts';
import { asObject } from '../../fhir/json-object.ts';
import { compactJson } from '../../fhir/json.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { ValidationIssue } from '../../validation/profile/findings.ts';
import { isSubsetTag } from '../subset.ts';
import { pathOf } from './body.ts';

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

/** The findings about a record to store. */
export interface CheckedRecord {
  /** The decoded attachments. */
  readonly contents: readonly Content[];
  /** Errors of structure. */
  readonly structure: readonly Issue[];
  /** Errors of other rules. */
  readonly rules: readonly ValidationIssue[];
}

/**
 * Checks a record after the definitions' own checks, whose issues are `found`: sorts them, decodes the attachments
 * within `record.body`, and checks each. `contentOptional` if the content of an attachment may be missing, since the
 * former version has it. Throws FhirError 413 for content that is too large.
 * https://hl7.org/fhir/R4/datatypes.html#attachment
 */
export async function checkRecord(
  { type: { name, attachment }, parsed, body, spans }: CutRecord,
  found: readonly ValidationIssue[],
  { contentOptional }: { readonly contentOptional: boolean },
): Promise<CheckedRecord> {
  const errors = found.filter(({ severity }) => severity === 'error');
  const structure: Issue[] = errors.filter(isOfStructure);
  const rules: Issue[] = [...errors.filter(issue => !isOfStructure(issue)), ...subsetIssues(parsed.value, name)];
  if (attachment === undefined) return { contents: [], structure, rules };
  const places = attachmentPlaces(parsed.value, attachment);
  for (const place of places) {
    if (!contentOptional || holdsText(place, attachment)) rules.push(...checkAttached(place, attachment));
  }
  const contents = await readContents(body, spans, places, attachment, { structure, rules });
  return { contents, structure, rules };
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
export function textWithoutAttachments({ type, text, parsed, spans }: CutRecord): string {
  const compact = parsed.compact ? text : compactJson(text);
  return spans.length === 0 ? compact : withoutProperty(compact, pathOf(type.attachment));
}

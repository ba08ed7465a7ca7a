import { attachmentPlaces, checkAttached, holdsText, readContents } from '../../attachment/content.ts';
import type { Content } from '../../attachment/content.ts';
import { cutBody } from '../../attachment/cut.ts';
import { withoutProperty } from '../../fhir/edit-text.ts';
import { FhirError } from '../../fhir/error.ts';
import { type ParsedJson, compactJson, parseJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { Attachment, ResourceType } from '../../model/model.ts';
import type { ValidationIssue } from '../../validation/profile/validator.ts';
import { checkRecord } from './check.ts';
import type { LoadContext } from './context.ts';

/** A record without the content that it brought, and that content. */
export interface CutRecord {
  readonly text: string;
  readonly parsed: ParsedJson;
  readonly contents: readonly Content[];
  /** What is wrong with it and its content. */
  readonly issues: readonly ValidationIssue[];
}

/**
 * Cuts the base64 out of a record's text and checks both as a create does. Undefined where the
 * record brings none, as it is exported: then there is nothing to cut. https://hl7.org/fhir/R4/datatypes.html#attachment
 */
export async function cutRecord(
  text: string,
  parsed: ParsedJson,
  type: ResourceType & { readonly attachment: Attachment },
  context: LoadContext,
): Promise<CutRecord | undefined> {
  const { attachment } = type;
  if (!attachmentPlaces(parsed.value, attachment).some(place => holdsText(place, attachment))) return undefined;
  const path = attachment.path.split('.').slice(1);
  const body = Buffer.from(text);
  try {
    const { rest, spans } = cutBody(body, path);
    const short = compactJson(rest.toString());
    const { value, decimals } = parseJson(short);
    const structure = [...checkRecord(context, type, value, decimals, false)];
    const rules: Issue[] = [];
    const places = attachmentPlaces(value, attachment).filter(place => holdsText(place, attachment));
    for (const place of places) rules.push(...checkAttached(place, attachment));
    const contents = await readContents(body, spans, places, attachment, { structure, rules });
    const kept = withoutProperty(short, path);
    return { text: kept, parsed: parseJson(kept), contents, issues: [...structure, ...rules] };
  } catch (error) {
    if (error instanceof FhirError) return { text, parsed, contents: [], issues: error.issues };
    throw error;
  }
}

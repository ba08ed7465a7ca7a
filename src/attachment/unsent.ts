import type { JsonObject } from '../fhir/json-object.ts';
import type { Issue } from '../fhir/outcome.ts';
import type { Attachment } from '../model/model.ts';
import { attachmentPlaces } from './content.ts';

/** The attachments of an update that has no content: those of the version before, or none any more. */
export interface Unsent {
  /** Undefined: those of the version before. */
  readonly attachments: readonly [] | undefined;
  readonly issues: readonly Issue[];
}

/**
 * The attachments of an update without content: the version before has it, so that its type, size and hash must be the
 * same. Without any of these the record has no attachment any more.
 */
export function unsentContent(resource: unknown, former: unknown, attachment: Attachment): Unsent {
  const [now, before] = [describedIn(resource, attachment), describedIn(former, attachment)];
  if (now.length === 0) return { attachments: [], issues: [] };
  const [first] = now;
  if (first === undefined || print(now) === print(before)) return { attachments: undefined, issues: [] };
  const text = 'The content differs from the stored one by its type, size or hash: send the content too.';
  return { attachments: undefined, issues: [{ severity: 'error', code: 'business-rule', text, expression: first.at }] };
}

interface Described {
  readonly owner: JsonObject;
  readonly at: string;
}

/** The objects of attachments that have a type. */
function describedIn(resource: unknown, attachment: Attachment): readonly Described[] {
  const path = attachment.path.replace(/[^.]*$/, 'contentType');
  return attachmentPlaces(resource, { ...attachment, path }).map(({ owner, expression }) => ({
    owner,
    at: `${expression}.contentType`,
  }));
}

const print = (described: readonly Described[]): string =>
  JSON.stringify(described.map(({ owner: { contentType, size, hash } }) => [contentType, size, hash]));

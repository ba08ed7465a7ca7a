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
  return { attachments: undefined, issues: differences(now, before) };
}

/** https://hl7.org/fhir/R4/datatypes.html#attachment */
const compared = ['contentType', 'size', 'hash'] as const;

function differences(now: readonly Described[], before: readonly Described[]): readonly Issue[] {
  const [first] = now;
  const issue = (text: string, expression: string | undefined): Issue => ({
    severity: 'error',
    code: 'business-rule',
    text,
    ...(expression === undefined ? {} : { expression }),
  });
  if (now.length !== before.length)
    return [
      issue(`The record has ${before.length} attachments, not ${now.length}: send all of the content too.`, first?.at),
    ];
  return now.flatMap(({ owner, at }, index) => {
    const stored = before[index]?.owner ?? {};
    const name = compared.find(one => owner[one] !== stored[one]);
    if (name === undefined) return [];
    const text =
      stored[name] === undefined
        ? `The stored version has no \`${name}\`, which is compared with content that is sent: leave it out, ` +
          'or send the content too.'
        : `The \`${name}\` is not the one of the stored content: write that, or send the other content too.`;
    return [issue(text, `${at}.${name}`)];
  });
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
    at: expression,
  }));
}

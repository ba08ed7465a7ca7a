import { XmlError } from '../../fhir/xml/error.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import { printXml } from '../../fhir/xml/print.ts';
import { xmlParts } from '../../fhir/xml/print-parts.ts';
import { CursorError } from '../../fhir/cursor-error.ts';
import { TextDamaged } from '../../fhir/stored-text.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { AnswerRoom } from '../../interaction/answer-room.ts';
import type { FhirResponse } from '../../interaction/interaction.ts';

/** Longest XML whose room is not counted, as for JSON. */
const free = 64 * 1024;

export interface XmlAnswerOptions {
  readonly types: XmlTypes;
  readonly pretty: boolean;
  /** The room for the answer; undefined where it is short. */
  readonly room: AnswerRoom | undefined;
  /** Whether the request may have changed something, so that its answer says so even if it has no content. */
  readonly mayWrite: boolean;
}

/**
 * A response with its JSON written as XML, in turn with other work if it is long. What XML cannot have is answered with
 * 406, or, if the request may have written, with its own status and a warning.
 * https://hl7.org/fhir/R4/xml.html
 */
export async function xmlAnswer(response: FhirResponse, options: XmlAnswerOptions): Promise<FhirResponse> {
  const { types, pretty, room, mayWrite } = options;
  const { body } = response;
  if (body === undefined) return response;
  if (response.status >= 400) return { ...response, body: printXml(body, types, { pretty }) };
  try {
    const parts: string[] = [];
    for (const part of xmlParts(body, types, { pretty })) {
      if (parts.length > 0) await new Promise(resolve => setImmediate(resolve));
      if (part.length > free || parts.length > 0) room?.takeForm(part.length);
      parts.push(part);
    }
    return { ...response, body: parts.join('') };
  } catch (error) {
    if (error instanceof CursorError) throw new TextDamaged();
    const failure = error instanceof XmlError ? notInXml(error) : error;
    if (!(failure instanceof FhirError)) throw failure;
    const written = mayWrite ? failure.issues.map(asWarning) : failure.issues;
    const text = printXml(JSON.stringify(operationOutcome(written)), types, { pretty });
    if (mayWrite) return { ...response, body: text };
    return { status: failure.status, body: text, headers: failure.headers };
  }
}

function notInXml({ message, path }: XmlError): FhirError {
  const text = `The answer has no form in XML: ${message} Request \`application/fhir+json\` or \`_format=json\`.`;
  return fhirError(406, 'not-supported', text, path === '' ? undefined : path);
}

const asWarning = (issue: Issue): Issue => ({
  ...issue,
  severity: 'warning',
  text: `The request was carried out. ${issue.text}`,
});

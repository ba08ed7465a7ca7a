import { operationOutcome } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { WriteOutcome } from '../../store/port/records.ts';
import type { FhirRequest, FhirResponse } from '../interaction.ts';
import { returnOf } from '../controls.ts';
import type { WrittenRecord } from './write.ts';

/**
 * The answer to a write of a resource: 201 if it was created, with its Location, else 200; in the form that the client
 * prefers. https://hl7.org/fhir/R4/http.html#ops
 */
export function answerWritten(
  written: WrittenRecord,
  { name, versioning }: ResourceType,
  { base, headers: { prefer } }: Pick<FhirRequest, 'base' | 'headers'>,
): FhirResponse {
  const { outcome, first = outcome, id, version, lastUpdated, text, owners, warnings = [] } = written;
  const created = first === 'created';
  const versioned = versioning !== 'no-version';
  const url = `${base}/${name}/${id}`;
  const head = {
    status: created ? 201 : 200,
    lastModified: lastUpdated,
    ...(versioned ? { etag: String(version) } : {}),
    headers: { Location: versioned ? `${url}/_history/${version}` : url },
    records: [{ type: name, id, version, lastUpdated, text, owners }],
  };
  const wanted = returnOf(prefer);
  switch (wanted) {
    case 'minimal':
      return head;
    case 'OperationOutcome': {
      const said = `\`${name}/${id}\` ${doneTexts[first === 'repeated' ? 'created' : first]}`;
      const outcome = operationOutcome([{ severity: 'information', code: 'informational', text: said }, ...warnings]);
      return { ...head, body: JSON.stringify(outcome) };
    }
    case 'representation':
      return text === undefined ? head : { ...head, body: text };
    default:
      return wanted satisfies never;
  }
}

/** What was done, after the name of the record. */
const doneTexts: Readonly<Record<WriteOutcome, string>> = {
  created: 'was created.',
  updated: 'was updated.',
  unchanged: 'has this content already, so no version was made.',
  matched: 'exists already, so nothing was created.',
  removed: 'was deleted.',
};

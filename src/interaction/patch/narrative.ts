import { isExactObject, isSameJson } from '../../fhir/exact-json.ts';
import type { ExactJson, ExactObject } from '../../fhir/exact-json.ts';
import { fhirError } from '../../fhir/error.ts';
import { asString } from '../../fhir/json-object.ts';

/**
 * Keeps the narrative of a patched record safe, which would say what the record said before: one that was generated is
 * removed if the patch changes what it may show and leaves it as it is. Throws FhirError 422 for one that has more than
 * the data. https://hl7.org/fhir/R4/http.html#patch, https://hl7.org/fhir/R4/narrative.html
 */
export function withSafeNarrative(before: ExactJson, after: ExactJson): ExactJson {
  if (!isExactObject(before) || !isExactObject(after)) return after;
  const { text } = after;
  if (text === undefined || before['text'] === undefined || !isSameJson(before['text'], text)) return after;
  if (isSameJson(shown(before), shown(after))) return after;
  const status = isExactObject(text) ? text['status'] : undefined;
  if (status === 'empty') return after;
  if (status === 'additional') throw narrativeStays(asString(after['resourceType']) ?? 'Resource');
  const { text: _removed, ...others } = after;
  return others;
}

/** What a narrative may show. */
function shown({ text: _text, meta: _meta, ...others }: ExactObject): ExactObject {
  return others;
}

const narrativeStays = (type: string): Error =>
  fhirError(
    422,
    'business-rule',
    'The record has a narrative with more than its data (`additional`), which may contradict the patched data: ' +
      'patch `text` too, or send an update.',
    `${type}.text`,
  );

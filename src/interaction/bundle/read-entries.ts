import { FhirError, fhirError } from '../../fhir/error.ts';
import { isObject, objectsOf } from '../../fhir/json-object.ts';
import { compactJson } from '../../fhir/json.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { Engine } from '../interaction.ts';
import { parseBody } from '../write/body.ts';
import { resourceTexts } from './batch-entry.ts';
import type { BatchEntry } from './batch-entry.ts';

/** Entries of one Bundle at most. */
const MOST_ENTRIES = 1_000;
/** Milliseconds after which no further entry begins. */
export const LONGEST = 60_000;

/** The entries of a Bundle of a type. Throws FhirError 400 with all errors outside of their resources. */
export function readEntries(
  { model }: Pick<Engine, 'model'>,
  wanted: 'batch' | 'transaction',
  body: Buffer,
): readonly BatchEntry[] {
  const { text, parsed } = parseBody(body, 'Bundle');
  const bundle = isObject(parsed.value) ? parsed.value : {};
  const type = bundle['resourceType'] === 'Bundle' ? bundle['type'] : undefined;
  if (type !== wanted) {
    const what = type === 'transaction' ? 'Transactions are not supported' : `The body is not a ${wanted}`;
    throw fhirError(400, 'not-supported', `${what}: send a Bundle with the type \`${wanted}\`.`, 'Bundle.type');
  }
  const { entry: list, ...around } = bundle;
  const entries = objectsOf(list);
  const issues = checkStructure(around, model);
  if (issues.length > 0) throw new FhirError(400, issues);
  if (list !== undefined && (!Array.isArray(list) || list.length === 0 || entries.length < list.length)) {
    throw fhirError(400, 'structure', '`Bundle.entry` must be a list of objects, or be omitted.', 'Bundle.entry');
  }
  if (entries.length > MOST_ENTRIES) {
    const wrong = `The ${wanted} has ${entries.length} entries, but the limit is ${MOST_ENTRIES}: send several.`;
    throw fhirError(400, 'too-costly', wrong, 'Bundle.entry');
  }
  const texts = resourceTexts(compactJson(text));
  return entries.map((value, index) => ({ value, index, resource: texts[index] }));
}

/** The entries in the order in which they are carried out. https://hl7.org/fhir/R4/http.html#trules */
export const inOrder = (entries: readonly BatchEntry[]): readonly BatchEntry[] =>
  entries.toSorted((a, b) => rankOf(a) - rankOf(b));

const ranks = ['DELETE', 'POST', 'PUT', 'PATCH', 'GET', 'HEAD'];

function rankOf({ value }: BatchEntry): number {
  const { method } = isObject(value['request']) ? value['request'] : {};
  return ranks.indexOf(String(method));
}

import type { Receive, ResultType } from '../fhirpath/extract/expression.ts';
import { foldString } from './normalize.ts';
import type { Emit, Entries } from './reading.ts';
import { narrativeTexts } from './narrative.ts';
import { printWords } from './words.ts';

/**
 * Texts, as written and folded. Names and addresses have an entry for each part; of a family name of several words
 * the rest from each of the first words on is also an entry, so that either half of a double name matches, and `der
 * Berg` finds `van der Berg`.
 * https://hl7.org/fhir/R4/search.html#string
 */
export const stringEntries: Entries = (type, emit) =>
  textsOf(
    type,
    text => emitText(emit, text),
    text => emitFamily(emit, text),
  );

/**
 * Passes on the texts of values of a FHIR type; undefined for types without texts. `addFamily` receives the family
 * names.
 */
export function textsOf(
  type: ResultType,
  add: (text: string) => void,
  addFamily: (text: string) => void = add,
): Receive | undefined {
  if (texts.has(type.code)) return passText(type.element?.path === familyName ? addFamily : add);
  const parts = partsOf[type.code];
  if (parts === undefined) return undefined;
  const pass = parts.map(
    part => [part, passText(type.code === 'HumanName' && part === 'family' ? addFamily : add)] as const,
  );
  return value => {
    for (const [part, passOne] of pass) {
      const held = (value as Record<string, unknown>)[part]; // stored JSON
      if (Array.isArray(held)) for (const text of held as unknown[]) passOne(text);
      else passOne(held);
    }
  };
}

const passText =
  (add: (text: string) => void) =>
  (text: unknown): void => {
    if (typeof text === 'string' && text !== '') add(text);
  };

const familyName = 'HumanName.family';

const texts: ReadonlySet<string> = new Set([
  'string',
  'markdown',
  'code',
  'id',
  'uri',
  'url',
  'canonical',
  'oid',
  'uuid',
]);

/** The parts of a data type that people read; if R4 does not define them, its texts. */
const partsOf: Readonly<Record<string, readonly string[]>> = {
  HumanName: ['family', 'given', 'prefix', 'suffix', 'text'],
  Address: ['line', 'city', 'district', 'state', 'postalCode', 'country', 'text'],
  Annotation: ['text'],
  CodeableConcept: ['text'],
  Coding: ['display'],
  ContactPoint: ['value'],
  Identifier: ['value'],
};

/** Emits a text that is not empty. */
export function emitText(emit: Emit, text: unknown): void {
  if (typeof text === 'string' && text !== '') emit({ kind: 'string', text, folded: foldString(text) });
}

/** Words of a family name from which on it is found: each has an entry as long as the name. */
const mostWords = 16;

/** The parts keep the whole name as their text, so that `:exact` still means the whole name. */
function emitFamily(emit: Emit, text: string): void {
  emitText(emit, text);
  const folded = foldString(text);
  for (let at = folded.indexOf(' '), word = 2; at >= 0 && word <= mostWords; at = folded.indexOf(' ', at + 1), word++)
    emit({ kind: 'string', text, folded: folded.slice(at + 1) });
}

/**
 * The words of texts, for full-text search: those of a narrative (`_text`), of a whole resource (`_content`), or of
 * the elements of a string parameter (`:text`). https://hl7.org/fhir/R4/search.html#content
 */
export const fullTextEntries: Entries = (type, emit) => {
  const add = (text: string): void => {
    const words = printWords(text);
    if (words !== '') emit({ kind: 'words', text: words });
  };
  if (type.code === 'Narrative') return value => addNarrative((value as { div?: unknown }).div, add); // stored JSON
  if (type.definition?.kind === 'resource') {
    return value => {
      // stored JSON; its id and its meta have parameters of their own
      const { resourceType: _type, id: _id, meta: _meta, ...content } = value as Record<string, unknown>;
      addContent(content, add);
    };
  }
  return textsOf(type, add);
};

function addNarrative(div: unknown, add: (text: string) => void): void {
  if (typeof div === 'string') for (const text of narrativeTexts(div)) add(text);
}

/** All strings of a value, in their order, of contained resources too; a narrative without its markup. */
function addContent(value: unknown, add: (text: string) => void): void {
  if (typeof value === 'string') add(value);
  else if (Array.isArray(value)) for (const item of value as unknown[]) addContent(item, add);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, child] of Object.entries(value)) {
      if (name === 'div') addNarrative(child, add);
      else if (name !== 'resourceType') addContent(child, add);
    }
  }
}

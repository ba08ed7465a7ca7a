import type { Entries } from './reading.ts';
import { narrativeTexts } from './narrative.ts';
import { textsOf } from './string.ts';
import { printWords } from './words.ts';

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

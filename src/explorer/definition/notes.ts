import { readFileSync } from 'node:fs';
import type { ElementDefinition, TypeDefinition } from '../../model/element.ts';
import { notesFile } from './distil.ts';
import type { ElementNotes } from './distil.ts';

const known = new WeakMap<TypeDefinition, ReadonlyMap<string, readonly ElementDefinition[]>>();

/**
 * The elements of a type that have a category of the "five Ws" pattern (`what`, `done`, `status`), in the order of the
 * definition. https://hl7.org/fhir/R4/fivews.html
 */
export function fiveWsOf(type: TypeDefinition, category: string): readonly ElementDefinition[] {
  let categories = known.get(type);
  if (categories === undefined) {
    const { fiveWs } = elementNotes();
    categories = Map.groupBy(type.elements.values(), ({ path }) => fiveWs[path] ?? '');
    known.set(type, categories);
  }
  return categories.get(category) ?? [];
}

let read: ElementNotes | undefined;

/** The notes on the elements of R4, read at their first use. */
export function elementNotes(): ElementNotes {
  read ??= JSON.parse(readFileSync(notesFile, 'utf8')) as ElementNotes; // written by distil.ts
  return read;
}

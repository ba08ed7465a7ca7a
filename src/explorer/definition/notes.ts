import { readFileSync } from 'node:fs';
import { notesFile } from './distil.ts';
import type { ElementNotes } from './distil.ts';

let read: ElementNotes | undefined;

/** The notes on the elements of R4, read at their first use. */
export function elementNotes(): ElementNotes {
  read ??= JSON.parse(readFileSync(notesFile, 'utf8')) as ElementNotes; // written by distil.ts
  return read;
}

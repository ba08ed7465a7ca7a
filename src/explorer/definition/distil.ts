import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';

/** What pages show of the elements of R4, and the R4 pack does not have; both by element path. */
export interface ElementNotes {
  /** The short descriptions of R4, in English. */
  readonly short: Readonly<Record<string, string>>;
  /** The categories of the "five Ws" pattern: `what`, `done`, `status`. https://hl7.org/fhir/R4/fivews.html */
  readonly fiveWs: Readonly<Record<string, string>>;
}

/** The file that the pages read. */
export const notesFile = new URL('./r4-elements.json', import.meta.url);

/**
 * Reads the notes from a folder with the npm package `hl7.fhir.r4.examples`: of all resource types and data types,
 * sorted by path, so that the output is reproducible. https://hl7.org/fhir/R4/downloads.html
 */
export async function distilNotes(folder: string): Promise<ElementNotes> {
  const names = (await readdir(folder)).filter(name => /^StructureDefinition-.*\.json$/.test(name));
  const structures = await Promise.all(
    names.map(async name => asObject(JSON.parse(await readFile(join(folder, name), 'utf8')))),
  );
  const elements = structures.filter(isType).flatMap(one => objectsOf(asObject(one['differential'])['element']));
  elements.sort((a, b) => (String(a['path']) < String(b['path']) ? -1 : 1));
  const by = (value: (element: JsonObject) => string | undefined): Readonly<Record<string, string>> =>
    Object.fromEntries(
      elements.flatMap(element => {
        const found = value(element);
        return found === undefined ? [] : [[String(element['path']), found]];
      }),
    );
  return { short: by(({ short }) => asString(short)), fiveWs: by(fiveWsOf) };
}

const isType = ({ kind, derivation }: JsonObject): boolean =>
  (kind === 'resource' || kind === 'complex-type') && derivation !== 'constraint';

/** `FiveWs.done[x]` → `done`. */
function fiveWsOf({ mapping }: JsonObject): string | undefined {
  const map = objectsOf(mapping).find(({ identity }) => identity === 'w5')?.['map'];
  return asString(map)
    ?.replace(/^FiveWs\./, '')
    .replace('[x]', '');
}

if (import.meta.main) {
  const folder = fileURLToPath(new URL('../../../node_modules/hl7.fhir.r4.examples', import.meta.url));
  const notes = await distilNotes(folder);
  await writeFile(notesFile, `${JSON.stringify(notes, null, 2)}\n`);
  console.log(`${fileURLToPath(notesFile)}: ${Object.keys(notes.short).length} elements`);
}

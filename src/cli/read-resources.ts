import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { JsonError, parseJson } from '../fhir/json.ts';
import type { Decimals } from '../fhir/json.ts';
import type { Issue } from '../fhir/outcome.ts';
import { decodeUtf8 } from '../fhir/utf8.ts';

/** A resource of a file, or the error of its text. */
export interface ReadResource {
  /** From 1, in a file with one resource per line. */
  readonly line: number | undefined;
  readonly value: unknown;
  readonly decimals: Decimals;
  readonly broken: Issue | undefined;
}

/** The resources of a file: of a `.ndjson` file each line that is not blank, else its whole text. */
export async function* readResources(file: string): AsyncIterable<ReadResource> {
  if (!file.endsWith('.ndjson')) {
    const bytes = await readFile(file);
    yield parse(() => decodeUtf8(bytes), undefined);
    return;
  }
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line++;
    if (text.trim() !== '') yield parse(() => (line === 1 ? text.replace(/^\uFEFF/, '') : text), line);
  }
}

function parse(text: () => string, line: number | undefined): ReadResource {
  try {
    const { value, decimals } = parseJson(text());
    return { line, value, decimals, broken: undefined };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = line === undefined ? ` Line ${error.line}, column ${error.column}.` : ` Column ${error.column}.`;
    const broken: Issue = { severity: 'fatal', code: 'structure', text: error.message + place, expression: error.path };
    return { line, value: undefined, decimals: new Map(), broken };
  }
}

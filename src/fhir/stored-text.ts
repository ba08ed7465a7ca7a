import { type ParsedJson, parseJson } from './json.ts';

/**
 * A stored text that is not JSON: the store is damaged. The message says nothing of what the text holds, since it is
 * logged.
 */
export class TextDamaged extends Error {
  constructor() {
    super('A stored record is damaged: its text is not JSON. `verify` names the records that are damaged');
    this.name = 'TextDamaged';
  }
}

/**
 * The value of a JSON text that was stored. Throws `TextDamaged`, where the error of the parser would quote the text.
 */
export function parseStored(text: string): unknown {
  return orDamaged(() => JSON.parse(text));
}

/** The same with what the value cannot tell about the text. */
export function readStored(text: string): ParsedJson {
  return orDamaged(() => parseJson(text));
}

function orDamaged<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new TextDamaged();
  }
}

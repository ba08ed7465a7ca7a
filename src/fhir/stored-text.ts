import { type ParsedJson, parseJson } from './json.ts';

/** A stored text that is not JSON: the store is damaged. The message has nothing of the text, since it is logged. */
export class TextDamaged extends Error {
  constructor() {
    super('A stored record is damaged: its text is not JSON. `verify` lists the damaged records');
    this.name = 'TextDamaged';
  }
}

/** The value of a stored JSON text. Throws `TextDamaged`, since the error of the parser would quote the text. */
export function parseStored(text: string): unknown {
  return orDamaged(() => JSON.parse(text));
}

/** The same with the properties of the text that the value lacks. */
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

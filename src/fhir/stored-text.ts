import { type ParsedJson, parseJson } from './json.ts';
import { stringEnd, unquote, valueEnd } from './text-cursor.ts';

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

/** Adds the properties of the text that the value lacks. */
export function readStored(text: string): ParsedJson {
  return orDamaged(() => parseJson(text));
}

/**
 * The object of a stored text with only these properties of it, which takes a fraction of the time of `parseStored` if
 * they are a small part. The text is read up to the last of them. Throws `TextDamaged` if it is not JSON up to there.
 */
export function parseProperties(text: string, names: readonly string[]): object {
  return orDamaged(() => {
    const found: Record<string, unknown> = {};
    if (text === '{}') return found;
    let missing = names.length;
    let before = '{';
    let at = 0;
    while (missing > 0 && text[at] !== '}') {
      if (text[at] !== before || text[at + 1] !== '"') throw new TextDamaged();
      const colon = stringEnd(text, at + 1);
      const end = valueEnd(text, colon + 1);
      const name = nameAmong(names, text, at + 1, colon);
      if (name !== undefined) {
        found[name] = JSON.parse(text.slice(colon + 1, end));
        missing -= 1;
      }
      before = ',';
      at = end;
    }
    return found;
  });
}

/** The one of some names that is between these quotes; it may have escapes there: `"\u0069d"` is `id` too. */
function nameAmong(names: readonly string[], text: string, from: number, to: number): string | undefined {
  for (const name of names) if (name.length === to - from - 2 && text.startsWith(name, from + 1)) return name;
  const escape = text.indexOf('\\', from);
  if (escape === -1 || escape >= to) return undefined;
  const name = unquote(text.slice(from, to));
  return names.includes(name) ? name : undefined;
}

function orDamaged<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new TextDamaged();
  }
}

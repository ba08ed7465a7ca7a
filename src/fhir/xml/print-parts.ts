import { compactJson } from '../json.ts';
import { isObject } from '../json-object.ts';
import { readStored } from '../stored-text.ts';
import { stringEnd, unquote, valueEnd } from '../text-cursor.ts';
import { layoutsOf } from './layout.ts';
import type { XmlTypes } from './layout.ts';
import { Printer, printXml } from './print.ts';
import type { PrintOptions } from './print.ts';

/** Longest JSON that is written at once, in characters. */
const short = 128 * 1024;

/** A value in a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The XML of a resource in parts, from valid JSON: a long one, such as a Bundle, is parsed and written one item of its
 * lists at a time, so that neither is in memory as a whole, and other work may be done between the parts. Throws
 * XmlError and TextDamaged as `printXml` does, and CursorError for a text that ends too early.
 */
export function* xmlParts(given: string, types: XmlTypes, options: PrintOptions = {}): Generator<string, void> {
  if (given.length <= short) {
    yield printXml(given, types, options);
    return;
  }
  const text = compactJson(given);
  const ranges = propertiesOf(text);
  const printer = new Printer(layoutsOf(types), options);
  const type = ranges.get('resourceType');
  const name = type === undefined ? '' : unquote(text.slice(type.start, type.end));
  const layout = printer.startRoot(name);
  const present = Object.fromEntries([...ranges.keys()].map(key => [key, true]));
  for (const field of printer.fieldsOf(present, layout)) {
    const range = ranges.get(field.name);
    if (range !== undefined && text[range.start] === '[' && (field.kind === 'complex' || field.kind === 'resource')) {
      let at = 0;
      for (const item of itemsOf(text, range)) {
        const { value, decimals } = readStored(text.slice(item.start, item.end));
        printer.item(field, value, at++, decimals);
        if (printer.text.length < short) continue;
        yield printer.text;
        printer.text = '';
      }
    } else {
      const properties = [field.name, `_${field.name}`].flatMap(key => {
        const found = ranges.get(key);
        return found === undefined ? [] : [`${JSON.stringify(key)}:${text.slice(found.start, found.end)}`];
      });
      const { value, decimals } = readStored(`{${properties.join(',')}}`);
      if (isObject(value)) printer.property(value, field, decimals);
    }
  }
  printer.endRoot(name);
  yield printer.text;
}

/** The values of an object that is a compact text. */
function propertiesOf(text: string): ReadonlyMap<string, Range> {
  const found = new Map<string, Range>();
  let at = 1;
  while (text[at] === '"') {
    const close = stringEnd(text, at);
    const end = valueEnd(text, close + 1);
    found.set(unquote(text.slice(at, close)), { start: close + 1, end });
    at = end + 1;
  }
  return found;
}

/** The items of an array in a compact text. */
function* itemsOf(text: string, { start, end }: Range): Generator<Range, void> {
  for (let at = start + 1; at < end - 1;) {
    const last = valueEnd(text, at);
    yield { start: at, end: last };
    at = last + 1;
  }
}

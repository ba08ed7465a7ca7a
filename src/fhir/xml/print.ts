import { decimalText } from '../json.ts';
import type { Decimals } from '../json.ts';
import { isObject } from '../json-object.ts';
import type { JsonObject } from '../json-object.ts';
import { readStored } from '../stored-text.ts';
import { XmlError, pathOf } from './error.ts';
import { fhirNamespace, layoutsOf } from './layout.ts';
import type { Field, Layout, Layouts, XmlTypes } from './layout.ts';
import { beyond, escapeAttribute, printedXhtml, special } from './read-xhtml.ts';
import { hasBareAmpersand, withoutBareAmpersands } from './xhtml-tag.ts';
import { checkXhtml } from './xhtml.ts';

export interface PrintOptions {
  /** Whether each element has a line of its own. */
  readonly pretty?: boolean;
}

/**
 * A resource as XML, from valid JSON: elements in the order of the definition, numbers with their digits. Throws
 * XmlError for what XML cannot have: characters beyond XML 1.0, narratives that are not well-formed, and elements that
 * R4 does not have, and TextDamaged for what is no JSON. https://hl7.org/fhir/R4/xml.html
 */
export function printXml(text: string, types: XmlTypes, options: PrintOptions = {}): string {
  const { value, decimals } = readStored(text);
  const printer = new Printer(layoutsOf(types), options);
  printer.printRoot(value, decimals);
  return printer.text;
}

/** The first line of a document. */
export const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Writes elements of a document one after the other to `text`. */
export class Printer {
  text = '';
  readonly path: (string | number)[] = [];
  readonly #layouts: Layouts;
  readonly #pretty: boolean;
  #decimals: Decimals = new Map();
  #level = 0;

  constructor(layouts: Layouts, { pretty = false }: PrintOptions) {
    this.#layouts = layouts;
    this.#pretty = pretty;
  }

  /** Writes a whole document. */
  printRoot(value: unknown, decimals: Decimals): void {
    this.text += declaration;
    this.#decimals = decimals;
    this.#resource(value, ` xmlns="${fhirNamespace}"`);
    if (this.#pretty) this.text += '\n';
  }

  /** Writes the start of a document, whose properties follow by `field`. */
  startRoot(name: string): Layout {
    const layout = this.#layoutOf(name);
    this.path.push(name);
    this.text += `${declaration}<${name} xmlns="${fhirNamespace}">`;
    this.#level++;
    return layout;
  }

  /** Writes the end of a document that `startRoot` began. */
  endRoot(name: string): void {
    this.#level--;
    this.#line();
    this.text += `</${name}>${this.#pretty ? '\n' : ''}`;
  }

  /** Writes the elements of a property of `owner`, whose numbers have these texts. */
  property(owner: JsonObject, field: Field, decimals: Decimals): void {
    this.#decimals = decimals;
    this.#field(owner, field);
  }

  /** Writes one item of a property. */
  item(field: Field, value: unknown, at: number, decimals: Decimals): void {
    this.#decimals = decimals;
    this.path.push(field.step, at);
    this.#one(field, [value], 0, undefined);
    this.path.length -= 2;
  }

  /** The fields of an object in the order of the definition. */
  fieldsOf(owner: JsonObject, layout: Layout): readonly Field[] {
    const found: Field[] = [];
    let ordered = true;
    let last = -1;
    for (const name in owner) {
      const plain = name.charCodeAt(0) === 0x5f ? name.slice(1) : name;
      const field = layout.fields.get(plain);
      if (field === undefined) {
        if (name === 'resourceType' && layout.isResource) continue;
        this.path.push(name);
        throw this.#error(`${layout.name} has no such element, so that XML cannot have it.`);
      }
      if (plain !== name && owner[plain] !== undefined) continue; // written with its value
      if (field.at < last) ordered = false;
      last = field.at;
      found.push(field);
    }
    return ordered ? found : found.sort((a, b) => a.at - b.at);
  }

  #layoutOf(name: unknown): Layout {
    const layout = typeof name === 'string' ? this.#layouts.resource(name) : undefined;
    if (layout === undefined) throw this.#error('This is no resource of R4.');
    return layout;
  }

  #resource(value: unknown, namespace: string): void {
    const name = isObject(value) ? value['resourceType'] : undefined;
    const layout = this.#layoutOf(name);
    const isRoot = this.path.length === 0;
    if (isRoot) this.path.push(layout.name);
    // it has a resourceType
    this.#element(`<${layout.name}${namespace}`, `</${layout.name}>`, value as JsonObject, layout);
    if (isRoot) this.path.pop();
  }

  /** Writes an element with the content of an object: `start` is the text up to its further attributes. */
  #element(start: string, end: string, value: JsonObject, layout: Layout): void {
    const fields = this.fieldsOf(value, layout);
    this.text += start;
    let inside = 0;
    for (const { kind, name, step } of fields) {
      if (kind === 'attribute') this.text += ` ${name}="${this.#escaped(textOf(value[name]), step)}"`;
      else inside++;
    }
    if (inside === 0) {
      this.text += '/>';
      return;
    }
    this.text += '>';
    this.#level++;
    for (const field of fields) if (field.kind !== 'attribute') this.#field(value, field);
    this.#level--;
    this.#line();
    this.text += end;
  }

  #field(owner: JsonObject, field: Field): void {
    const value = owner[field.name];
    const beside = field.kind === 'primitive' ? owner[field.beside] : undefined;
    if (typeof value === 'string' && field.kind === 'primitive' && beside === undefined) {
      // Most elements are such ones.
      this.#line();
      this.text += field.value;
      this.text += this.#escaped(value, field.step);
      this.text += '"/>';
      return;
    }
    this.path.push(field.step);
    if (Array.isArray(value) || Array.isArray(beside)) {
      const values: readonly unknown[] = Array.isArray(value) ? value : [];
      const besides: readonly unknown[] = Array.isArray(beside) ? beside : [];
      for (let at = 0; at < values.length || at < besides.length; at++) {
        this.path.push(at);
        this.#one(field, values, at, besides[at]);
        this.path.pop();
      }
    } else this.#one(field, owner, field.name, beside);
    this.path.pop();
  }

  /** Writes the value at `parent[key]`, with `beside` of its property with an underscore. */
  #one(field: Field, parent: object, key: string | number, beside: unknown): void {
    const value = (parent as Record<string | number, unknown>)[key]; // an object or an array
    const { kind, start, end } = field;
    switch (kind) {
      case 'primitive': {
        if (value === undefined || value === null) {
          if (!isObject(beside)) return;
          this.#line();
          return this.#element(start, end, beside, field.layout());
        }
        const written = typeof value === 'number' ? decimalText(this.#decimals, parent, key, value) : textOf(value);
        const shown = typeof value === 'string' ? this.#escaped(written) : written;
        this.#line();
        if (!isObject(beside)) this.text += `${field.value}${shown}"/>`;
        else if (beside['id'] === undefined) this.#element(`${field.value}${shown}"`, end, beside, field.layout());
        else {
          const { id, ...rest } = beside;
          const attributes = ` id="${this.#escaped(textOf(id), 'id')}" value="${shown}"`;
          this.#element(`${start}${attributes}`, end, rest, field.layout());
        }
        return;
      }
      case 'xhtml':
        this.#line();
        this.text += this.#xhtml(textOf(value));
        return;
      case 'resource':
        this.#line();
        this.text += `${start}>`;
        this.#level++;
        this.#line();
        this.#resource(value, '');
        this.#level--;
        this.#line();
        this.text += end;
        return;
      case 'complex':
        if (!isObject(value)) throw this.#error('This is no object, so that XML cannot have it.');
        this.#line();
        return this.#element(start, end, value, field.layout());
      case 'attribute':
        return;
      default:
        kind satisfies never;
    }
  }

  /**
   * The narrative: unchanged if it is well-formed as FHIR wants it, else as XML that means the same. Links may have a
   * bare `&`, as browsers take them.
   */
  #xhtml(text: string): string {
    if (checkXhtml(text).wrong === undefined) return hasBareAmpersand(text) ? withoutBareAmpersands(text) : text;
    try {
      return printedXhtml(text);
    } catch (error) {
      if (error instanceof XmlError) throw this.#error(`The narrative is not well-formed: ${error.message}`);
      throw error;
    }
  }

  /** The text of an attribute; `step` is the element if it is not the current one. */
  #escaped(text: string, step?: string): string {
    if (!special.test(text)) return text;
    const [found] = text.match(beyond) ?? [];
    if (found === undefined) return escapeAttribute(text);
    if (step !== undefined) this.path.push(step);
    const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw this.#error(`The text has the character U+${code}, which XML 1.0 does not have.`);
  }

  #line(): void {
    if (this.#pretty) this.text += `\n${'  '.repeat(this.#level)}`;
  }

  #error(message: string): XmlError {
    return new XmlError(message, pathOf(this.path));
  }
}

/** A value as the text of an attribute. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

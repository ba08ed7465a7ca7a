import { SaxesParser } from 'saxes';
import type { SaxesTagNS } from 'saxes';
import { maxLevels } from '../json.ts';
import { pathOf, XmlError } from './error.ts';
import { fhirNamespace, layoutsOf, xhtmlNamespace } from './layout.ts';
import type { Field, Layout, Layouts, XmlTypes } from './layout.ts';
import { XhtmlWriter } from './read-xhtml.ts';
import { mostAttributes } from './xhtml-tag.ts';

/** Most elements inside each other. */
const deepest = 300;

/** The namespace whose attributes say where a schema is. https://www.w3.org/TR/xmlschema-1/#xsi_schemaLocation */
const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance';

/** Text that is written step by step. */
interface Text {
  text: string;
}

/** An element that is open. */
interface Frame {
  readonly kind: 'object' | 'primitive' | 'resource' | 'holder';
  /** Its name in XML. */
  readonly name: string;
  readonly field: Field | undefined;
  /** Where it is in the element outside, if that may have several. */
  readonly index: number | undefined;
  /** The elements that it may have; those of no type in a resource of an unknown one. */
  readonly layout: Layout | undefined;
  /** Where its JSON is written. */
  readonly out: Text;
  /** Nesting of objects and arrays in JSON. */
  readonly level: number;
  /** Whether nothing is inside so far. */
  empty: boolean;
  /** The elements of one name that follow each other. */
  run: FieldRun | undefined;
  /** The position of the last element in the definition. */
  last: Field | undefined;
  /** The JSON of `value`. */
  readonly value: string | undefined;
  unknown: Set<string> | undefined;
}

interface FieldRun {
  readonly field: Field;
  count: number;
  /** The values of primitives, and the objects beside them. */
  readonly values: (string | undefined)[];
  readonly besides: (string | undefined)[];
}

export interface ReadOptions {
  /** Receives the path of each element and its line, with a path from the innermost resource too. */
  readonly visit?: (path: string, line: number) => void;
}

/**
 * Reads a resource as XML, in parts, and makes the JSON that has the same content, as text: a value that is no number
 * is a string there, and an unknown element a property, so that checks of JSON report both. Throws XmlError for what is
 * not well-formed or has a DTD, and for what breaks the rules of XML: namespaces, attributes, text, the order of
 * elements, and elements without value or content. Comments and processing instructions are skipped.
 * https://hl7.org/fhir/R4/xml.html
 */
export class XmlReader {
  readonly #layouts: Layouts;
  readonly #visit: ReadOptions['visit'];
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #out: Text = { text: '' };
  readonly #frames: Frame[] = [];
  #xhtml: XhtmlWriter | undefined;
  /** Open elements of an unknown one. */
  #skipped = 0;
  #depth = 0;
  #attributes = 0;
  #line = 1;
  #column = 1;

  constructor(types: XmlTypes, { visit }: ReadOptions = {}) {
    this.#layouts = layoutsOf(types);
    this.#visit = visit;
    const parser = this.#parser;
    parser.on('error', ({ message }) => this.#fail(sentenceOf(message), parser.line, parser.column));
    parser.on('doctype', () => this.#fail('XML of FHIR has no DTD: remove `<!DOCTYPE …>`.'));
    parser.on('xmldecl', ({ version, encoding }) => {
      if (version !== '1.0') this.#fail(`The version of XML must be 1.0, not \`${version ?? ''}\`.`);
      if (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8')
        this.#fail(`The encoding must be UTF-8, not \`${encoding}\`.`);
    });
    parser.on('opentagstart', () => {
      this.#line = parser.line;
      this.#column = parser.column;
      this.#attributes = 0;
      if (++this.#depth > deepest) this.#fail(`The elements nest more than ${deepest} levels deep.`);
    });
    parser.on('attribute', () => {
      if (++this.#attributes > mostAttributes) this.#fail(`An element has more than ${mostAttributes} attributes.`);
    });
    parser.on('opentag', tag => this.#open(tag));
    parser.on('closetag', tag => this.#close(tag));
    parser.on('text', text => this.#text(text));
    parser.on('cdata', text => this.#text(text));
    parser.on('comment', text => this.#xhtml?.comment(text));
  }

  /** The line that is read, from 1. */
  get line(): number {
    return this.#parser.line;
  }

  /** Reads a part; returns the JSON that is complete. */
  push(text: string): string {
    this.#parser.write(text);
    return this.#take();
  }

  /** Reads the end; returns the rest of the JSON. */
  end(): string {
    this.#parser.close();
    return this.#take();
  }

  #take(): string {
    const { text } = this.#out;
    this.#out.text = '';
    return text;
  }

  #open(tag: SaxesTagNS): void {
    if (this.#skipped > 0) return void this.#skipped++;
    if (this.#xhtml !== undefined) return this.#require(this.#xhtml.open(tag));
    const parent = this.#frames.at(-1);
    if (parent === undefined) return this.#openResource(tag, undefined);
    if (parent.kind === 'holder') {
      if (!parent.empty) this.#fail(`\`${parent.name}\` has one resource inside; \`${tag.local}\` is a second one.`);
      parent.empty = false;
      return this.#openResource(tag, parent);
    }
    const field = parent.layout?.fields.get(tag.local);
    if (field?.kind === 'xhtml') {
      this.#begin(parent, field);
      this.#xhtml = new XhtmlWriter();
      return this.#require(this.#xhtml.open(tag));
    }
    this.#requireNamespace(tag);
    if (field === undefined) return this.#skip(tag, parent);
    if (field.kind === 'attribute')
      this.#fail(`\`${field.name}\` of \`${parent.name}\` is an attribute, not an element.`);
    const run = this.#begin(parent, field);
    const level = parent.level + (field.many ? 2 : 1);
    if (level > maxLevels) this.#fail(`The content nests more than ${maxLevels} levels deep.`);
    const index = field.many ? run.count - 1 : undefined;
    const shared = { name: tag.local, field, index, level, empty: true, ...nothing };
    if (field.kind === 'primitive') {
      const { value } = tag.attributes;
      const frame: Frame = {
        ...shared,
        kind: 'primitive',
        layout: field.layout(),
        out: { text: '{' },
        value: value === undefined ? undefined : literal(value.value, field),
      };
      this.#push(frame, tag);
    } else if (field.kind === 'resource') {
      this.#push({ ...shared, kind: 'holder', layout: undefined, out: parent.out }, tag);
    } else {
      parent.out.text += '{';
      this.#push({ ...shared, kind: 'object', layout: field.layout(), out: parent.out }, tag);
    }
  }

  #openResource(tag: SaxesTagNS, holder: Frame | undefined): void {
    this.#requireNamespace(tag);
    const out = holder?.out ?? this.#out;
    out.text += `{"resourceType":${JSON.stringify(tag.local)}`;
    const level = holder?.level ?? 1;
    const layout = this.#layouts.resource(tag.local);
    const { index, field } = { index: undefined, field: undefined };
    this.#push({ kind: 'resource', name: tag.local, field, index, layout, out, level, empty: false, ...nothing }, tag);
  }

  #push(frame: Frame, { attributes }: SaxesTagNS): void {
    this.#frames.push(frame);
    const { layout, kind, out } = frame;
    for (const { name, prefix, local, uri, value } of Object.values(attributes)) {
      if (name === 'xmlns' || prefix === 'xmlns' || prefix === 'xml') continue;
      if (name === 'value' && kind === 'primitive') continue;
      if (uri === instanceNamespace && local.endsWith('chemaLocation') && this.#frames.length === 1) continue;
      if (prefix === '' && layout?.fields.get(name)?.kind === 'attribute') {
        out.text += `${frame.empty ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
        frame.empty = false;
      } else {
        const allowed = attributesOf(frame).map(known => `\`${known}\``);
        const has = allowed.length === 0 ? 'no attributes' : `only ${allowed.join(' and ')} as attributes`;
        this.#fail(`\`${frame.name}\` has ${has}, not \`${name}\`.`);
      }
    }
    if (this.#visit === undefined) return;
    this.#visit(this.#path(), this.#line);
    const from = this.#frames.findLastIndex(one => one.kind === 'resource');
    if (from > 0) this.#visit(this.#path(from), this.#line);
  }

  /** Counts one more element of a field. */
  #begin(parent: Frame, field: Field): FieldRun {
    let { run } = parent;
    const { last, out } = parent;
    const isDirect = field.kind === 'complex' || field.kind === 'resource';
    if (run?.field === field) {
      if (!field.many) this.#fail(`\`${field.name}\` is repeated; \`${parent.name}\` may have it once.`);
      if (isDirect) out.text += ',';
    } else {
      if (last !== undefined && field.at < last.at) this.#fail(wrongOrder(parent, field, last));
      if (last !== undefined && field.at === last.at)
        this.#fail(`Only one type of \`${field.step}[x]\` is allowed, not \`${last.name}\` and \`${field.name}\`.`);
      this.#endRun(parent);
      run = { field, count: 0, values: [], besides: [] };
      parent.run = run;
      parent.last = field;
      if (isDirect) {
        this.#property(parent, field.name);
        if (field.many) out.text += '[';
      }
    }
    run.count++;
    return run;
  }

  #property(frame: Frame, name: string): void {
    frame.out.text += `${frame.empty ? '' : ','}${JSON.stringify(name)}:`;
    frame.empty = false;
  }

  #endRun(frame: Frame): void {
    const { run, out } = frame;
    if (run === undefined) return;
    frame.run = undefined;
    const { field, values, besides } = run;
    if (field.kind === 'complex' || field.kind === 'resource') {
      if (field.many) out.text += ']';
      return;
    }
    for (const [name, texts] of [
      [field.name, values],
      [`_${field.name}`, besides],
    ] as const) {
      if (texts.every(text => text === undefined)) continue;
      this.#property(frame, name);
      out.text += field.many ? `[${texts.map(text => text ?? 'null').join(',')}]` : (texts[0] ?? 'null');
    }
  }

  /** An unknown element: its content does not matter, since the check of the JSON rejects it. */
  #skip({ local, attributes }: SaxesTagNS, parent: Frame): void {
    this.#skipped = 1;
    if (parent.layout === undefined) return; // the type is rejected
    if (local === 'resourceType') this.#fail('`resourceType` is the name of the element of the resource in XML.');
    parent.unknown ??= new Set();
    if (parent.unknown.has(local)) return;
    parent.unknown.add(local);
    this.#endRun(parent);
    this.#property(parent, local);
    parent.out.text += JSON.stringify(attributes['value']?.value ?? '');
    this.#visit?.(`${this.#path()}.${local}`, this.#line);
  }

  #close(tag: SaxesTagNS): void {
    this.#depth--;
    if (this.#skipped > 0) return void this.#skipped--;
    const parent = this.#frames.at(-1);
    if (this.#xhtml !== undefined) {
      if (!this.#xhtml.close(tag)) return;
      parent?.run?.values.push(JSON.stringify(this.#xhtml.text));
      this.#xhtml = undefined;
      return;
    }
    if (parent !== undefined) this.#finish(parent);
    this.#frames.pop();
  }

  #finish(frame: Frame): void {
    this.#endRun(frame);
    const { kind, out, empty, value, name } = frame;
    if (kind === 'primitive') {
      if (value === undefined && empty) this.#failHere(`\`${name}\` has neither a \`value\` nor an extension.`);
      const { run } = this.#frames.at(-2) ?? {};
      run?.values.push(value);
      run?.besides.push(empty ? undefined : `${out.text}}`);
      return;
    }
    if (kind === 'holder') {
      if (empty) this.#failHere(`\`${name}\` has no resource inside.`);
      return;
    }
    if (empty) this.#failHere(`\`${name}\` has no content: omit it, or give it elements.`);
    out.text += '}';
  }

  #text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#xhtml !== undefined) return this.#xhtml.write(text);
    if (/^[ \t\r\n]*$/.test(text)) return;
    const shown = text.trim().slice(0, 40);
    this.#failHere(`Text such as \`${shown}\` is allowed in narratives only: a value is in the attribute \`value\`.`);
  }

  #requireNamespace({ uri, local }: SaxesTagNS): void {
    if (uri === fhirNamespace) return;
    const given = uri === '' ? 'no namespace' : `the namespace \`${uri.slice(0, 80)}\``;
    const wanted = local === 'div' ? `\`${xhtmlNamespace}\` in a narrative, and \`${fhirNamespace}\` else` : '';
    this.#fail(`\`${local}\` has ${given} instead of ${wanted === '' ? `\`${fhirNamespace}\`` : wanted}.`);
  }

  #require(wrong: string | undefined): void {
    if (wrong !== undefined) this.#fail(wrong);
  }

  /** The path of the innermost element, from a frame on. */
  #path(from = 0): string {
    const steps: (string | number)[] = [];
    for (const { kind, name, field, index } of this.#frames.slice(from)) {
      if (field !== undefined) steps.push(field.step);
      else if (kind === 'resource' && steps.length === 0) steps.push(name);
      if (index !== undefined) steps.push(index);
    }
    return pathOf(steps);
  }

  /** Fails at the element that begins last, or at a position. */
  #fail(message: string, line = this.#line, column = this.#column): never {
    throw new XmlError(message, this.#path(), { line, column });
  }

  /** Fails at the position of the parser. */
  #failHere(message: string): never {
    this.#fail(message, this.#parser.line, this.#parser.column);
  }
}

const nothing = { run: undefined, last: undefined, value: undefined, unknown: undefined };

function attributesOf({ kind, layout }: Frame): readonly string[] {
  const fields = [...(layout?.fields.values() ?? [])].filter(field => field.kind === 'attribute');
  return [...fields.map(({ name }) => name), ...(kind === 'primitive' ? ['value'] : [])];
}

/** The JSON of a value: a string unless it has the form of its type. */
function literal(text: string, { json }: Field): string {
  const isPlain =
    json === 'number'
      ? /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)
      : json === 'boolean' && (text === 'true' || text === 'false');
  return isPlain ? text : JSON.stringify(text);
}

function wrongOrder({ layout, name }: Frame, field: Field, last: Field): string {
  const later = [...(layout?.fields.values() ?? [])].filter(({ at, kind }) => at > last.at && kind !== 'attribute');
  const steps = [...new Set(later.map(({ step }) => step))];
  const shown = steps.slice(0, 6).map(step => `\`${step}\``);
  const expected =
    steps.length === 0
      ? `the end of \`${name}\``
      : `${shown.join(', ')}${steps.length > 6 ? ', …' : ''} or the end of \`${name}\``;
  return `\`${field.name}\` must be before \`${last.name}\`; expected after \`${last.name}\`: ${expected}.`;
}

/** A message of the parser without its position, as a sentence. */
function sentenceOf(message: string): string {
  const text = message.replace(/^\d+:\d+: /, '');
  if (text.startsWith('undefined entity'))
    return 'XML has the entities `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&apos;` only: write the character itself.';
  return `The text is not well-formed XML: ${text.slice(0, 200).replace(/\.?$/, '.')}`;
}

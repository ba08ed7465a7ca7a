// https://hl7.org/fhir/R4/xml.html, https://hl7.org/fhir/R4/json.html
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactOf } from '../../../src/fhir/exact-json.ts';
import type { ExactJson } from '../../../src/fhir/exact-json.ts';
import { parseJson } from '../../../src/fhir/json.ts';
import { jsonOfXml } from '../../../src/fhir/xml/convert.ts';
import { layoutsOf } from '../../../src/fhir/xml/layout.ts';
import type { Field, Layout } from '../../../src/fhir/xml/layout.ts';
import { printXml } from '../../../src/fhir/xml/print.ts';
import { printedXhtml } from '../../../src/fhir/xml/read-xhtml.ts';
import { readTypeDefinitions } from '../../../src/model/type-definitions.ts';

const types = readTypeDefinitions();
const through = (text: string): string => jsonOfXml(Buffer.from(printXml(text, types)), types);

/** The content of JSON: numbers as they are written, and narratives as XML. */
const contentOf = (text: string): ExactJson => narrated(exactOf(parseJson(text)));

function narrated(value: ExactJson): ExactJson {
  if (Array.isArray(value)) return value.map(narrated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === 'div' && typeof one === 'string' ? printedXhtml(one) : narrated(one),
    ]),
  );
}

describe('JSON that becomes XML and JSON again', () => {
  const folder = fileURLToPath(new URL('../../../node_modules/hl7.fhir.r4.examples/', import.meta.url));
  const isLong = process.env['CRS_TEST_LONG'] !== undefined;
  const [longest, step] = isLong ? [Infinity, 1] : [50_000, 4];

  it(
    'is each official example; one of four, unless by `npm run test:long`',
    () => {
      let [seen, tried] = [0, 0];
      for (const file of readdirSync(folder)) {
        if (!/^[A-Z].*\.json$/.test(file) || seen++ % step !== 0) continue;
        const text = readFileSync(folder + file, 'utf8').replace(/^\ufeff/, '');
        if (text.length > longest) continue;
        tried++;
        expect([file, contentOf(through(text))]).toEqual([file, contentOf(text)]);
      }
      expect(tried).toBeGreaterThan(4_000 / step);
    },
    isLong ? 600_000 : 120_000,
  );

  it('is a generated resource of every type, in any order of its elements', () => {
    for (const type of types.resourceTypes) {
      fc.assert(
        fc.property(fc.gen(), gen => {
          const text = new Generator(gen).resource(type, 3);
          expect(contentOf(through(text))).toEqual(contentOf(text));
        }),
        { numRuns: isLong ? 10 : 2 },
      );
    }
  });
});

/** Makes JSON of a type, with elements that the definition has. */
class Generator {
  readonly #gen: fc.GeneratorValue;

  constructor(gen: fc.GeneratorValue) {
    this.#gen = gen;
  }

  resource(type: string, depth: number): string {
    const layout = layoutsOf(types).resource(type);
    if (layout === undefined) throw new Error(type);
    return this.#object(layout, depth, [`"resourceType":"${type}"`]);
  }

  #number(max: number): number {
    return this.#gen(fc.nat, { max });
  }

  #object(layout: Layout, depth: number, properties: string[] = []): string {
    const fields = [...Map.groupBy(layout.fields.values(), ({ at }) => at).values()];
    const wanted = fields.filter(() => this.#number(fields.length) < 4);
    for (const choices of wanted) {
      const field = choices[this.#number(choices.length - 1)];
      if (field !== undefined && (depth > 0 || field.kind === 'primitive'))
        properties.push(...this.#property(field, depth));
    }
    if (properties.length === 0) {
      const simple = [...layout.fields.values()].find(({ kind, many }) => kind === 'primitive' && !many);
      properties.push(`"${simple?.name ?? 'id'}":${simple === undefined ? '"x"' : this.#value(simple)}`);
    }
    const order = this.#number(1) === 0 ? properties : properties.reverse();
    return `{${order.join(',')}}`;
  }

  #property(field: Field, depth: number): readonly string[] {
    const { name, many, kind } = field;
    const count = many ? 1 + this.#number(2) : 1;
    const listed = (items: readonly string[]): string => (many ? `[${items.join(',')}]` : (items[0] ?? 'null'));
    if (kind !== 'primitive') {
      const item = (): string =>
        kind === 'resource'
          ? this.resource(this.#type(), depth - 1)
          : kind === 'complex'
            ? this.#object(field.layout(), depth - 1)
            : this.#value(field);
      return [`"${name}":${listed(Array.from({ length: count }, item))}`];
    }
    const pairs = Array.from({ length: count }, (): readonly [string, string] => {
      const form = this.#number(5);
      const beside =
        form > 1 ? 'null' : `{"id":${this.#value(field, true)},"extension":[{"url":"urn:a","valueDecimal":1.50}]}`;
      return [form === 0 ? 'null' : this.#value(field), beside];
    });
    return [
      [name, pairs.map(([value]) => value)] as const,
      [`_${name}`, pairs.map(([, beside]) => beside)] as const,
    ].flatMap(([key, items]) => (items.every(item => item === 'null') ? [] : [`"${key}":${listed(items)}`]));
  }

  #type(): string {
    const names = [...types.resourceTypes];
    return names[this.#number(names.length - 1)] ?? 'Patient';
  }

  #value({ json, kind }: Field, isText = false): string {
    if (kind === 'xhtml')
      return JSON.stringify(`<div xmlns="http://www.w3.org/1999/xhtml">${this.#number(9)}<br/>&lt;</div>`);
    if (!isText && json === 'boolean') return String(this.#number(1) === 1);
    if (!isText && json === 'number') return `-${this.#number(99)}.${this.#number(9)}0e-${this.#number(9)}`;
    const text = this.#gen(fc.string, { unit: 'binary', minLength: 1, maxLength: 6 });
    // oxlint-disable-next-line no-control-regex -- what XML does not have
    return JSON.stringify(text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\n'));
  }
}

import type { TypeDefinition, TypeDefinitions } from '../../src/model/element.ts';

const typeNames = [
  'string',
  'code',
  'Quantity',
  'Reference',
  'dateTime',
  'BackboneElement',
  'Coding',
  'String',
  'System.Boolean',
] as const;

/**
 * Makes an expression on a resource from a tape of numbers, so that a shorter tape and smaller numbers make a simpler
 * one.
 */
export function expressionFrom(tape: readonly number[], resource: object, types: TypeDefinitions): string {
  const { resourceType } = resource as { resourceType: string }; // every resource has one
  const root = { text: '', definition: types.get(resourceType), value: resource };
  return new Generator(tape, types).condition(root, 3);
}

/** The same for an expression of a search parameter: what it selects on a resource. */
export function selectionFrom(tape: readonly number[], resource: object, types: TypeDefinitions): string {
  const { resourceType } = resource as { resourceType: string }; // every resource has one
  const root = { text: '', definition: types.get(resourceType), value: resource };
  return new Generator(tape, types).selection(root, 2);
}

/** What a path leads to. */
interface Reached {
  readonly text: string;
  readonly definition: TypeDefinition | undefined;
  /** One of the values there. */
  readonly value: unknown;
}

class Generator {
  readonly #tape: readonly number[];
  readonly #types: TypeDefinitions;
  #at = 0;

  constructor(tape: readonly number[], types: TypeDefinitions) {
    this.#tape = tape;
    this.#types = types;
  }

  #next(below: number): number {
    return below === 0 ? 0 : (this.#tape[this.#at++] ?? 0) % below;
  }

  #pick<T>(of: readonly [T, ...T[]]): T {
    return of[this.#next(of.length)] ?? of[0];
  }

  /** A boolean, or what counts as one. */
  condition(of: Reached, depth: number): string {
    const path = (): Reached => this.path(of);
    if (depth <= 0) return `${path().text}.exists()`;
    const inner = (): string => this.condition(of, depth - 1);
    switch (this.#next(13)) {
      case 0:
        return `${path().text}.${this.#pick(['exists()', 'empty()', 'hasValue()', 'isDistinct()', 'exists().not()'])}`;
      case 1:
        return `${path().text}.count() ${this.#order()} ${this.#next(4)}`;
      case 2:
        return this.#compared(path(), '', ['=', '!='], path);
      case 3:
        return this.#compared(path(), '.first()', ['<', '<=', '>', '>='], path);
      case 4:
        return `(${inner()}) ${this.#pick(['and', 'or', 'xor', 'implies'])} (${inner()})`;
      case 5:
        return `(${inner()}).not()`;
      case 6:
        return this.#contained(path());
      case 7: {
        const all = path();
        return `${all.text}.all(${this.condition(all, depth - 1)})`;
      }
      case 8: {
        const all = path();
        return `${all.text}.exists(${this.condition(all, depth - 1)})`;
      }
      case 9:
        return `${path().text}.first() is ${this.#pick(typeNames)}`;
      case 10:
        return `${path().text}.first().${this.textFunction()}`;
      case 11:
        return `iif(${inner()}, ${inner()}, ${this.literal()} = ${this.literal()})`;
      default:
        const collection = this.collection(of, depth);
        const tests = ['count() > 1', 'exists()', 'distinct().count() = 1', `first() = ${this.literal()}`] as const;
        return `${collection}.${this.#pick(tests)}`;
    }
  }

  #compared(one: Reached, first: string, operators: [string, ...string[]], path: () => Reached): string {
    const other = this.#next(3) === 0 ? `${path().text}${first}` : this.literal(one);
    return `${one.text}${first} ${this.#pick(operators)} ${other}`;
  }

  #contained(all: Reached): string {
    return `${this.literal(all)} in ${all.text}`;
  }

  collection(of: Reached, depth: number): string {
    const [one, other] = [this.path(of), this.path(of)];
    switch (this.#next(9)) {
      case 0:
        return `(${one.text} | ${other.text})`;
      case 1:
        return `${one.text}.${this.#pick(['union', 'combine', 'intersect', 'exclude'])}(${other.text})`;
      case 2:
        return `${one.text}.where(${this.condition(one, depth - 1)})`;
      case 3:
        return `${one.text}.select(${this.path(one).text})`;
      case 4:
        return `${one.text}.${this.#pick(['first()', 'last()', 'tail()', 'skip(1)', 'take(2)', '[1]'])}`;
      case 5:
        return `${one.text}.select($index + ${this.#next(3)})`;
      case 6:
        return `${one.text}.ofType(${this.#pick(['string', 'Quantity', 'CodeableConcept', 'code', 'Coding'])})`;
      case 7:
        return `${one.text}.extension('${this.#pick(urls)}')`;
      default:
        return `${one.text}.descendants().where($this is ${this.#pick(['Coding', 'code', 'Period'])})`;
    }
  }

  /** What search parameters are made of, and now and then something else. */
  selection(of: Reached, depth: number): string {
    if (depth <= 0) return this.path(of).text;
    const one = this.path(of);
    switch (this.#next(11)) {
      case 0:
        return `${this.selection(of, depth - 1)} | ${this.selection(of, depth - 1)}`;
      case 1:
        return `${one.text}.where(${this.criterion(one, depth)})`;
      case 2:
        return `${one.text}.where(${this.criterion(one, depth)}).${this.path(one).text}`;
      case 3:
        return `${one.text}.select(${this.selection(one, depth - 1)})`;
      case 4:
        return `${one.text}.${this.#pick(['first()', '[0]', '[1]'])}`;
      case 5:
        return `(${one.text} as ${this.#pick(['CodeableConcept', 'Quantity', 'Period', 'dateTime', 'Reference'])})`;
      case 6:
        return `${one.text}.ofType(${this.#pick(['CodeableConcept', 'Quantity', 'Period', 'string', 'Reference'])})`;
      case 7:
        return `${one.text}.extension('${this.#pick(urls)}').value`;
      case 8:
        return `${one.text}.${this.#pick(['exists()', 'empty()'])}`;
      case 9:
        return this.collection(of, depth);
      default:
        return one.text;
    }
  }

  criterion(of: Reached, depth: number): string {
    const one = this.path(of);
    switch (this.#next(7)) {
      case 0:
        return `${one.text}.exists()`;
      case 1:
        return `${one.text} ${this.#pick(['=', '!='])} ${this.literal(one)}`;
      case 2:
        return `${one.text} is ${this.#pick(['Quantity', 'string', 'Reference', 'CodeableConcept'])}`;
      case 3:
        return `${this.criterion(of, depth)} ${this.#pick(['and', 'or'])} ${this.criterion(of, depth)}`;
      case 4:
        return `${one.text}.exists().not()`;
      case 5:
        return `${one.text}.resolve() is ${this.#pick(['Patient', 'Practitioner', 'Group'])}`;
      default:
        return this.condition(of, depth - 1);
    }
  }

  textFunction(): string {
    const text = `'${this.#pick(texts)}'`;
    return this.#pick([
      `startsWith(${text})`,
      `endsWith(${text})`,
      `contains(${text})`,
      `matches('^[A-Za-z]+$')`,
      `length() > ${this.#next(9)}`,
      `upper() = ${text}`,
      `lower().indexOf(${text}) > 0`,
      `substring(${this.#next(4)}, ${this.#next(3)}) = ${text}`,
      `replace(${text}, 'xy').length() = 5`,
      `replaceMatches('[a-f]', 'z') = ${text}`,
      `toString() = ${text}`,
      `toInteger() > ${this.#next(9)}`,
      `convertsToInteger()`,
      `convertsToBoolean()`,
      `trim().length() > 3`,
    ]);
  }

  literal({ value }: Reached = nothing): string {
    if (this.#next(2) === 1) {
      if (typeof value === 'string' && /^[\w :/.-]+$/.test(value)) return `'${value}'`;
      if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    }
    const all = [
      ...texts.map(text => `'${text}'`),
      String(this.#next(20)),
      `-${this.#next(20)}`,
      '1.5',
      '2.0',
      'true',
      'false',
      '@2012-05',
      '@2015-02-07T13:28:17.239+02:00',
      '@T10:00',
      '{}',
      `${this.#next(9)} + ${this.#next(9)} * 2`,
      `7 ${this.#pick(['div', 'mod'])} ${this.#next(4)}`,
      "5 'mg'",
    ];
    return all[this.#next(all.length)] ?? '1';
  }

  #order(): string {
    return this.#pick(['<', '<=', '>', '>=']);
  }

  /** Some steps down the definitions, mostly to what is there. */
  path(from: Reached): Reached {
    let { definition, value } = from;
    let text = '';
    const steps = 1 + this.#next(3);
    for (let step = 0; step < steps; step++) {
      if (definition === undefined || definition.abstract || definition.kind === 'primitive-type') break;
      // fhirpath.js takes a method of a string, such as `repeat`, for an element of a primitive.
      const properties = [...definition.properties].filter(
        ([name]) => !/^(contained|div)$/.test(name) && !(name in String.prototype),
      );
      const there = properties.filter(([name]) => typeof value === 'object' && value !== null && name in value);
      const among = there.length > 0 && this.#next(8) < 7 ? there : properties;
      const [name, { element, type }] = among[this.#next(among.length)] ?? properties[0] ?? ['', undefined as never];
      definition = type.content ?? this.#types.get(type.code);
      // The value is a JSON object, or a primitive, which has no children.
      const found = (value as Record<string, unknown> | undefined)?.[name];
      value = Array.isArray(found) ? (found as unknown[])[0] : found;
      text += `${text === '' ? '' : '.'}${quoted(element.name)}`;
      if (element.choice && this.#next(2) === 1) text += `.ofType(${type.code})`;
    }
    return { text: text === '' ? '$this' : text, definition, value };
  }
}

const nothing: Reached = { text: '', definition: undefined, value: undefined };
const texts = ['a', 'final', 'official', 'mg', 'http://loinc.org', 'Peter', '12', ''] as const;
const urls = ['http://hl7.org/fhir/StructureDefinition/patient-birthTime', 'http://example.org/x'] as const;

/** Some elements have the names of operators. */
const quoted = (name: string): string => (/^(div|mod|in|is|as|and|or|contains)$/.test(name) ? `\`${name}\`` : name);

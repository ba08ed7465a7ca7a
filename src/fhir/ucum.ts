import { createRequire } from 'node:module';
import { Cache } from '../limits/cache.ts';
import { decimalOf, dividedBy, type ExactDecimal, exactDecimal, nearestNumber, times } from './decimal.ts';

/** The system of UCUM codes. https://hl7.org/fhir/R4/ucum.html */
export const ucumSystem = 'http://unitsofmeasure.org';

/**
 * Whether a text is a UCUM unit, case-sensitive: well-formed, with units of UCUM. Annotations (`{score}`) may have
 * blanks, since R4 itself publishes such. The first call loads the table of units (0.04 s).
 * https://ucum.org/ucum#section-Syntax-Rules
 */
export function isUcumCode(code: string): boolean {
  if (code === '' || code.length > longest) return false;
  let depth = 0;
  let wanted = true; // a unit, a number or an annotation must follow
  let annotatable = false;
  for (let at = 0; at < code.length;) {
    const [text = '', operator, open, close, annotation, factor, atom] = take(code, at);
    if (text === '') return false;
    if (open !== undefined) {
      if (!wanted || ++depth > deepest) return false;
    } else if (operator !== undefined) {
      // A term may begin with `/`, and with no other operator.
      if (wanted && !(operator === '/' && (at === 0 || code[at - 1] === '('))) return false;
      [wanted, annotatable] = [true, false];
    } else if (close !== undefined) {
      if (wanted || --depth < 0) return false;
      annotatable = true;
    } else if (annotation !== undefined) {
      if (!wanted && !annotatable) return false;
      [wanted, annotatable] = [false, false];
    } else {
      if (!wanted || (factor === undefined && !isAtom(atom ?? ''))) return false;
      [wanted, annotatable] = [false, true];
    }
    at += text.length;
  }
  return !wanted && depth === 0;
}

/**
 * A value in another UCUM unit; undefined if one of the two is not a unit, or if they are not comparable (`mg` and
 * `mL`). https://ucum.org/ucum#section-Semantics
 */
export function convertUnit(value: number, from: string, to: string): number | undefined {
  if (from === to) return value;
  if (!isUcumCode(from) || !isUcumCode(to)) return undefined;
  const { status, toVal } = units().UcumLhcUtils.convertUnitTo(withoutAnnotations(from), value, withoutAnnotations(to));
  return status === 'succeeded' && toVal !== null ? toVal : undefined;
}

/** A unit in terms of base units. */
export interface BaseUnits {
  /** The value of one such unit, exact; meaningless for a special unit, whose scale is no multiple. */
  readonly magnitude: Fraction;
  /** Base units with their exponents, in the order of their names; none for a number. */
  readonly exponents: readonly (readonly [name: string, exponent: number])[];
  readonly isSpecial: boolean;
}

/** `above / below`. */
export interface Fraction {
  readonly above: ExactDecimal;
  readonly below: ExactDecimal;
}

/**
 * A UCUM unit in terms of base units; undefined for other texts, for arbitrary units, which have none, and for a
 * magnitude of more than 1,000 digits. A mole is a base unit here, though UCUM defines it as a number: an amount of
 * substance is no count of cells. https://ucum.org/ucum#section-Base-Units
 */
export function baseUnits(code: string): BaseUnits | undefined {
  if (!isUcumCode(code)) return undefined;
  const plain = withoutAnnotations(code);
  const { status, magnitude, unitToExp, fromUnitIsSpecial } = units().UcumLhcUtils.convertToBaseUnits(plain, 1);
  if (status !== 'succeeded' || magnitude === undefined || !(magnitude > 0 && Number.isFinite(magnitude))) {
    return undefined;
  }
  const sorted = (exponents: Iterable<[string, number]>): [string, number][] =>
    [...exponents].filter(([, exponent]) => exponent !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (fromUnitIsSpecial === true)
    return { magnitude: whole(1n), exponents: sorted(Object.entries(unitToExp ?? {})), isSpecial: true };
  const product = new Product();
  if (!product.multiply(plain, 1)) return undefined;
  const { above, below, exponents } = product;
  return { magnitude: { above, below }, exponents: sorted(exponents), isSpecial: false };
}

const whole = (digits: bigint): Fraction => ({ above: { digits, exponent: 0 }, below: { digits: 1n, exponent: 0 } });

/** The product of the parts of a unit, each replaced by its definition down to the base units. */
class Product implements Fraction {
  above: ExactDecimal = { digits: 1n, exponent: 0 };
  below: ExactDecimal = { digits: 1n, exponent: 0 };
  readonly exponents = new Map<string, number>();

  /** Multiplies by a valid unit to the power of `sign`; false if that is not exact, or has too many digits. */
  multiply(code: string, sign: number): boolean {
    const signs = [sign];
    let next = sign;
    for (let at = 0; at < code.length;) {
      const [text = '', operator, open, close, annotation, factor, atom] = take(code, at);
      if (text === '') return false;
      const now = signs.at(-1) ?? sign;
      if (operator !== undefined) next = operator === '/' ? -now : now;
      else if (open !== undefined) {
        signs.push(next);
      } else if (close !== undefined) signs.pop();
      else if (factor !== undefined) this.#number(exactDecimal(Number(factor)), next);
      else if (annotation === undefined && !this.#power(atom ?? '', next)) return false;
      if (this.above.digits > most || this.below.digits > most) return false;
      at += text.length;
    }
    return true;
  }

  /** An atom with its exponent, such as `mm2` or `10*-3`. */
  #power(text: string, sign: number): boolean {
    const [, atom = '', power = '1'] = /^(10[*^]|.*?[^\d+-])([+-]?\d+)?$/.exec(text) ?? [];
    for (let left = Math.abs(Number(power)); left > 0; left -= 1)
      if (!this.#atom(atom, power.startsWith('-') ? -sign : sign)) return false;
    return true;
  }

  #atom(atom: string, sign: number): boolean {
    if (this.above.digits > most || this.below.digits > most) return false;
    const known = unitOf(atom);
    if (known?.isBase_ === true || atom === 'mol') {
      this.exponents.set(atom, (this.exponents.get(atom) ?? 0) + sign);
      return true;
    }
    const prefix = Object.keys(prefixes).find(one => atom.startsWith(one) && takesPrefix(atom.slice(one.length)));
    const defined = known && definitionOf(known);
    if (known && defined && (prefix === undefined || isNear(defined, known.magnitude_))) {
      this.#merge(defined, sign);
      return true;
    }
    if (prefix === undefined) return false;
    this.#number({ digits: 1n, exponent: prefixes[prefix] ?? 0 }, sign);
    return this.#atom(atom.slice(prefix.length), sign);
  }

  #merge({ above, below, exponents }: Product, sign: number): void {
    this.#number(above, sign);
    this.#number(below, -sign);
    for (const [name, exponent] of exponents)
      this.exponents.set(name, (this.exponents.get(name) ?? 0) + sign * exponent);
  }

  scale(value: ExactDecimal): void {
    this.#number(value, 1);
  }

  #number(value: ExactDecimal, sign: number): void {
    if (sign > 0) this.above = times(this.above, value);
    else this.below = times(this.below, value);
  }
}

const most = 10n ** 1000n;

const unitOf = (code: string): Atom | null | undefined => units().UnitTables.getInstance().getUnitByCode(code);

/** The definition of a unit in the table; undefined for a special one. */
function definitionOf(unit: Atom): Product | undefined {
  const product = new Product();
  if (unit.isSpecial_ || typeof unit.csUnitString_ !== 'string') return undefined;
  product.scale(factorOf(unit));
  return product.multiply(unit.csUnitString_, 1) ? product : undefined;
}

/** Whether a product is this number: a unit with a prefix is in the table too, with the definition of that without. */
function isNear({ above, below, exponents }: Product, magnitude: number): boolean {
  const moles = avogadro ** (exponents.get('mol') ?? 0);
  return Math.abs((nearestNumber(dividedBy(above, below)) * moles) / magnitude - 1) < 1e-9;
}

/** The number that a mole is in UCUM. */
const avogadro = 6.0221367e23;

/** The table calls base units not metric. */
function takesPrefix(code: string): boolean {
  const unit = unitOf(code);
  return unit?.isMetric_ === true || unit?.isBase_ === true;
}

/** The text of a few units, such as Oersted, lacks a part of the number. */
function factorOf({ baseFactorStr_: text, baseFactor_: factor }: Atom): ExactDecimal {
  if (text !== null && Math.abs(Number(text) / (factor ?? NaN) - 1) < 1e-9) return decimalOf(text);
  return exactDecimal(Number((factor ?? NaN).toPrecision(14)));
}

/** The decimal prefixes of UCUM, those of two letters first. https://ucum.org/ucum#section-Prefixes */
const prefixes: Readonly<Record<string, number>> = {
  da: 1,
  Y: 24,
  Z: 21,
  E: 18,
  P: 15,
  T: 12,
  G: 9,
  M: 6,
  k: 3,
  h: 2,
  d: -1,
  c: -2,
  m: -3,
  u: -6,
  n: -9,
  p: -12,
  f: -15,
  a: -18,
  z: -21,
  y: -24,
};

/** Maximum length in characters, and maximum nesting of parentheses. */
const longest = 200;
const deepest = 10;

const token =
  /([./])|(\()|(\))|(\{[\x20-\x7a|~]*\})|((?!10[*^])\d{1,15}(?![\d*^]))|((?:10[*^]|(?:[A-Za-z%'"_]|\[[^\][\s{}]{1,40}\])+)(?:[+-]?\d{1,2})?(?!\d))/y;

function take(code: string, at: number): readonly (string | undefined)[] {
  token.lastIndex = at;
  return token.exec(code) ?? [];
}

/** Whether UCUM has a unit, with its prefix and exponent. */
function isAtom(atom: string): boolean {
  const plain = atom.replace(/(?<=.)[+-]?\d+$/, match =>
    atom.startsWith('10') && atom.length - match.length < 3 ? match : '',
  );
  let known = atoms.get(plain);
  if (known === undefined) {
    known =
      !Object.hasOwn(Object.prototype, plain) && units().UcumLhcUtils.validateUnitString(plain).status === 'valid';
    atoms.put(plain, known);
  }
  return known;
}

const atoms = new Cache<boolean>(2_000);

/** An annotation alone is the unit 1. */
const withoutAnnotations = (code: string): string =>
  code.replace(/(^|[./(])\{[^}]*\}/g, '$11').replace(/\{[^}]*\}/g, '');

/** The used parts of the library, which has no types of its own. */
interface Units {
  readonly UcumLhcUtils: {
    validateUnitString(code: string): { readonly status: string };
    convertToBaseUnits(
      from: string,
      value: number,
    ): {
      readonly status: string;
      readonly magnitude?: number;
      readonly unitToExp?: Readonly<Record<string, number>>;
      readonly fromUnitIsSpecial?: boolean;
    };
    convertUnitTo(from: string, value: number, to: string): { readonly status: string; readonly toVal: number | null };
  };
  readonly UnitTables: {
    getInstance(): { getUnitByCode(code: string): Atom | null | undefined };
  };
}

/** A row of the table of units: `baseFactorStr_` times the unit `csUnitString_`. */
interface Atom {
  readonly isBase_: boolean;
  readonly isMetric_: boolean;
  readonly isSpecial_: boolean;
  readonly baseFactorStr_: string | null;
  readonly baseFactor_: number | null;
  readonly magnitude_: number;
  readonly csUnitString_: string | null;
}

let loaded: Units | undefined;

function units(): Units {
  if (loaded !== undefined) return loaded;
  const { UcumLhcUtils, UnitTables } = createRequire(import.meta.url)('@lhncbc/ucum-lhc') as {
    UcumLhcUtils: { getInstance(): Units['UcumLhcUtils'] };
    UnitTables: Units['UnitTables'];
  }; // as its documentation states
  loaded = { UcumLhcUtils: UcumLhcUtils.getInstance(), UnitTables };
  return loaded;
}

import { createRequire } from 'node:module';
import { Cache } from '../cache.ts';

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
  const { status, toVal } = units().convertUnitTo(withoutAnnotations(from), value, withoutAnnotations(to));
  return status === 'succeeded' && toVal !== null ? toVal : undefined;
}

/** A unit in terms of base units. */
export interface BaseUnits {
  /** The value of one such unit; meaningless for a special unit, whose scale is no multiple. */
  readonly magnitude: number;
  /** Base units with their exponents, in the order of their names; none for a number. */
  readonly exponents: readonly (readonly [name: string, exponent: number])[];
  readonly isSpecial: boolean;
}

/**
 * A UCUM unit in terms of base units; undefined for other texts and for arbitrary units, which have none.
 * https://ucum.org/ucum#section-Base-Units
 */
export function baseUnits(code: string): BaseUnits | undefined {
  if (!isUcumCode(code)) return undefined;
  const { status, magnitude, unitToExp, fromUnitIsSpecial } = units().convertToBaseUnits(withoutAnnotations(code), 1);
  if (status !== 'succeeded' || magnitude === undefined || !(magnitude > 0 && Number.isFinite(magnitude))) {
    return undefined;
  }
  const exponents = Object.entries(unitToExp ?? {}).filter(([, exponent]) => exponent !== 0);
  return {
    magnitude,
    exponents: exponents.sort(([a], [b]) => (a < b ? -1 : 1)),
    isSpecial: fromUnitIsSpecial === true,
  };
}

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
    known = !Object.hasOwn(Object.prototype, plain) && units().validateUnitString(plain).status === 'valid';
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
}

let loaded: Units | undefined;

function units(): Units {
  loaded ??= (
    createRequire(import.meta.url)('@lhncbc/ucum-lhc') as { UcumLhcUtils: { getInstance(): Units } }
  ).UcumLhcUtils.getInstance(); // as its documentation states
  return loaded;
}

import { parseInstantRange } from '../../fhir/instant-range.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Rule } from './fast-rules.ts';
import { containedIn } from './resolve.ts';
import { checkXhtml } from '../../fhir/xml/xhtml.ts';

/** An invariant of R4 that cannot be used as published: the decision that replaces it, and the reason. */
interface Exception {
  readonly decide: Rule;
  readonly reason: string;
  /** What is wrong with a value that violates it, a sentence; the text of the invariant if it has none. */
  readonly wrong?: (node: Node) => string;
}

const precision = 'it yields nothing for dates of different precision, such as `2015` and `2015-06-30`; R5 corrects it';

/** The mistakes in the invariants of R4 4.0.1, by key and expression, so that a corrected one is used as it is. */
export const exceptions: ReadonlyMap<string, Exception> = new Map<string, Exception>([
  [
    "ref-1 reference.startsWith('#').not() or (reference.substring(1).trace('url') in " +
      "%rootResource.contained.id.trace('ids'))",
    {
      decide({ value }, walk) {
        const text = isObject(value) ? value['reference'] : undefined;
        if (typeof text !== 'string' || !text.startsWith('#') || text === '#') return true;
        return containedIn(walk.context.root, walk).has(text.slice(1));
      },
      reason: 'a reference `#` is to the resource around it, which the expression cannot see',
    },
  ],
  [
    'per-1 start.hasValue().not() or end.hasValue().not() or (start <= end)',
    { decide: mayPrecede('start', 'end'), reason: precision },
  ],
  [
    'inv-1 lastModified.exists().not() or authoredOn.exists().not() or lastModified >= authoredOn',
    { decide: mayPrecede('authoredOn', 'lastModified'), reason: precision },
  ],
  [
    'mdd-1 whenHandedOver.empty() or whenPrepared.empty() or whenHandedOver >= whenPrepared',
    { decide: mayPrecede('whenPrepared', 'whenHandedOver'), reason: precision },
  ],
  [
    'txt-1 htmlChecks()',
    {
      decide: ({ value }) => typeof value !== 'string' || checkXhtml(value).wrong === undefined,
      wrong: ({ value }) => `The narrative ${checkXhtml(String(value)).wrong ?? ''}.`,
      reason: 'one function implements two rules, this one for the form',
    },
  ],
  [
    'txt-2 htmlChecks()',
    {
      decide({ value }) {
        if (typeof value !== 'string') return true;
        const { wrong, content } = checkXhtml(value);
        return content || wrong !== undefined; // the text after a formal error was not read
      },
      reason: 'one function implements two rules, this one for the content',
    },
  ],
]);

/**
 * The rule that a date is not after another one of the same object, for dates of any precision: `2015` may be before
 * `2015-06-30`. True without one of them, and for texts that are no dates, which are reported as such.
 */
function mayPrecede(earlier: string, later: string): Rule {
  return ({ value }) => {
    const [from, to] = isObject(value) ? [value[earlier], value[later]] : [];
    return typeof from !== 'string' || typeof to !== 'string' || isPossible(from, to);
  };
}

/**
 * A date without a time is the same day everywhere, and begins and ends with its zones.
 * https://hl7.org/fhirpath/N2/#lowboundaryprecision-integer-decimal--date--datetime--time
 */
function isPossible(from: string, to: string): boolean {
  const [first, last] = from.includes('T') === to.includes('T') ? ['UTC', 'UTC'] : ['Etc/GMT-14', 'Etc/GMT+12'];
  const begin = parseInstantRange(from, first);
  const end = parseInstantRange(to, last);
  return begin === undefined || end === undefined || begin.low < end.high;
}

/**
 * Invariants that reject valid records, by their published expressions, with the expression of a later publication of
 * the same artifact.
 */
export const corrections: ReadonlyMap<string, { readonly expression: string; readonly reason: string }> = new Map([
  [
    "fullUrl.contains('/_history/').not()",
    {
      expression: "fullUrl.exists() implies fullUrl.contains('/_history/').not()",
      reason: 'it yields nothing for an entry without `fullUrl`, which transactions have; R4B corrects it',
    },
  ],
  [
    'probability is decimal implies (probability as decimal) <= 100',
    {
      expression: 'probability.exists($this is decimal) implies (probability as decimal) <= 100',
      reason: 'it yields nothing for a prediction without `probability`; R4B corrects it',
    },
  ],
  [
    "operator = 'exists' implies (answer is Boolean)",
    {
      expression: "operator = 'exists' implies (answer is boolean)",
      reason: '`Boolean` is a type of FHIRPath itself, and the answer is a `boolean` of FHIR; R4B corrects it',
    },
  ],
  [
    'telecom or endpoint',
    {
      expression: 'telecom.exists() or endpoint.exists()',
      reason: '`or` takes one value on either side; later releases of US Core correct it',
    },
  ],
  [
    "name.matches('[A-Z]([A-Za-z0-9_]){0,254}')",
    {
      expression: "name.exists() implies name.matches('[A-Z]([A-Za-z0-9_]){0,254}')",
      reason: 'it yields nothing for a definition without `name`, which is optional; R5 corrects it',
    },
  ],
]);

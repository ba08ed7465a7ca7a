// https://hl7.org/fhirpath/N1/: the rule evaluator against fhirpath.js
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { runJob } from '../../src/fhirpath/delegate/fhirpath-js.ts';
import { valueAt } from '../../src/fhirpath/delegate/job.ts';
import { EvaluationError, Undecided } from '../../src/fhirpath/evaluate/errors.ts';
import type { Item } from '../../src/fhirpath/evaluate/item.ts';
import { compileRule } from '../../src/fhirpath/evaluate/rule.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { asOfType } from '../../src/fhirpath/extract/delegated.ts';
import { compileExpression } from '../../src/fhirpath/extract/expression.ts';
import { ExpressionError } from '../../src/fhirpath/syntax.ts';
import { environmentOn, nodeOf } from './evaluating.ts';
import { expressionFrom, selectionFrom } from './generated.ts';
import { examples, judge, sorted } from './judge.ts';

// CRS_TEST_EXPRESSIONS sets how many expressions are compared.
const numRuns = Number(process.env['CRS_TEST_EXPRESSIONS'] ?? 500);
const types = readTypeDefinitions();

/** Any number as likely as another, so that expressions are of every kind. */
const tapes = fc.noBias(fc.array(fc.nat(9_999), { minLength: 40, maxLength: 40 }));

type Resource = { readonly resourceType: string; readonly id?: string };

const sampled = new Set([
  'Patient',
  'Observation',
  'MedicationRequest',
  'Encounter',
  'Questionnaire',
  'CarePlan',
  'Appointment',
  'Condition',
  'FamilyMemberHistory',
  'Immunization',
]);

/**
 * What an expression yields, as JSON; `error` for an error of FHIRPath, undefined where this form leaves it to
 * fhirpath.js.
 */
function ours(expression: string, resource: Resource): string | undefined {
  const node = nodeOf({ ...resource }, types);
  const rule = compileRule(expression, types, { context: [node] });
  if (rule.kind !== 'compiled') return undefined;
  try {
    return JSON.stringify(rule.evaluate([node], environmentOn(node, types)).map(json));
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    if (error instanceof EvaluationError) return 'error';
    throw error;
  }
}

function json(item: Item): unknown {
  if (typeof item !== 'object') return item;
  return item.kind === 'temporal' ? item.text : item.value;
}

function theirs(expression: string, resource: Resource): string {
  const { resourceType: code } = resource;
  const focus = { value: resource, code, type: code };
  const answer = runJob({ expression, focus, resource, rootResource: resource, resolve: 'contained' });
  if (answer.kind !== 'results') return 'error';
  return JSON.stringify(
    answer.results.map(({ place, value }) => (place === undefined ? value : valueAt(place, resource, resource))),
  );
}

/**
 * What an expression selects for an index, as `judge` prints it; undefined where it is refused, or left to fhirpath.js.
 */
function selected(expression: string, resource: Resource): readonly string[] | undefined {
  try {
    const compiled = compileExpression(expression, resource.resourceType, types);
    if (compiled.fallback) return undefined;
    return sorted(compiled.evaluate(resource).map(({ type, value }) => `${type} ${JSON.stringify(value)}`));
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/**
 * What fhirpath.js selects; undefined where it refuses `as` on several values, by which R4's own parameters mean
 * ofType.
 */
function judged(expression: string, resource: Resource): readonly string[] | undefined {
  try {
    return judge(asOfType(expression), resource.resourceType, resource, resource);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Expected singleton on left side of 'as'")) return undefined;
    throw error;
  }
}

/**
 * A selection as it is compared. fhirpath.js does not always name the type of an extension, and types ids and some URLs
 * as plain texts. A union drops a value that equals one of another type; for an index, which has each once, that makes
 * no difference.
 */
function asCompared(expression: string, lines: readonly string[]): readonly string[] {
  const comparable = lines.map(line =>
    line.replace(/^System\.Object (?=\{"url":)/, 'Extension ').replace(/^(id|uri) (?=")/, 'text '),
  );
  return sorted(expression.includes('|') ? comparable.map(line => line.replace(/^\S+ /, '')) : comparable);
}

describe('generated expressions', () => {
  let samples: readonly Resource[] = [];
  /** Without the examples whose unions fhirpath.js does not evaluate. */
  let whole: readonly Resource[] = [];
  beforeAll(() => {
    samples = [...examples()].map(({ resource }) => resource).filter(({ resourceType }) => sampled.has(resourceType));
    whole = samples.filter(({ id }) => id !== 'decimal' && id !== 'f205');
  });

  it('yield what fhirpath.js yields, or are left to it', () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.nat(), tapes, (sample, tape) => {
        const resource = samples[sample % samples.length] as Resource; // there are some
        const expression = expressionFrom(tape, resource, types);
        const own = ours(expression, resource);
        if (own === undefined) return;
        const other = theirs(expression, resource);
        // An error of FHIRPath here is reported as such; and what the other side of `or` would be may not matter here.
        if (own === 'error' || (other === 'error' && / (and|or|xor|implies) |iif/.test(expression))) return;
        compared++;
        expect(`${expression} ${own}`).toBe(`${expression} ${other}`);
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(numRuns / 2);
  }, 600_000);

  it('of search parameters select what fhirpath.js selects, or are left to it', () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.nat(), tapes, (sample, tape) => {
        const resource = whole[sample % whole.length] as Resource; // there are some
        const expression = selectionFrom(tape, resource, types);
        const own = selected(expression, resource);
        if (own === undefined) return;
        const other = judged(expression, resource);
        if (other === undefined) return;
        compared++;
        expect([expression, ...asCompared(expression, own)]).toEqual([expression, ...asCompared(expression, other)]);
      }),
      { numRuns },
    );
    expect(compared).toBeGreaterThan(numRuns / 3);
  }, 600_000);
});

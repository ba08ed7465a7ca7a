// https://hl7.org/fhirpath/N1/: the rule evaluator against fhirpath.js
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { runJob } from '../../src/fhirpath/delegate/fhirpath-js.ts';
import { valueAt } from '../../src/fhirpath/delegate/place.ts';
import { EvaluationError, Undecided } from '../../src/fhirpath/evaluate/errors.ts';
import type { Item } from '../../src/fhirpath/evaluate/item.ts';
import { compileRule } from '../../src/fhirpath/evaluate/rule.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { environmentOn, nodeOf } from './evaluating.ts';
import { expressionFrom } from './generated.ts';
import { examples } from './judge.ts';

// CRS_TEST_EXPRESSIONS sets how many expressions are compared.
const numRuns = Number(process.env['CRS_TEST_EXPRESSIONS'] ?? 500);
const types = readTypeDefinitions();

/** Any number as likely as another, so that expressions are of every kind. */
const tapes = fc.noBias(fc.array(fc.nat(9_999), { minLength: 40, maxLength: 40 }));

type Resource = { readonly resourceType: string };

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
  const rule = compileRule(expression, [node], types);
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

describe('generated expressions', () => {
  let samples: readonly Resource[] = [];
  beforeAll(() => {
    samples = [...examples()].map(({ resource }) => resource).filter(({ resourceType }) => sampled.has(resourceType));
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
});

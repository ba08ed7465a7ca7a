// HL7's test suite for FHIRPath: https://github.com/FHIR/fhir-test-cases, https://hl7.org/fhirpath/N1/
import { describe, expect, it } from 'vitest';
import { EvaluationError, Undecided } from '../../src/fhirpath/evaluate/errors.ts';
import { plain } from '../../src/fhirpath/evaluate/item.ts';
import type { Item } from '../../src/fhirpath/evaluate/item.ts';
import { compileRule } from '../../src/fhirpath/evaluate/rule.ts';
import { compileExpression } from '../../src/fhirpath/extract/expression.ts';
import { ExpressionError } from '../../src/fhirpath/syntax.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { environmentOn, nodeOf } from './evaluating.ts';
import { cases, inputOf, isExpected } from './official.ts';
import type { Case, Printed } from './official.ts';

const types = readTypeDefinitions();

/** What became of a case: evaluated here, as expected or not; left to fhirpath.js; refused. */
type Outcome = 'right' | 'delegated' | 'refused' | `wrong ${string}`;

function outcomeOf(one: Case, evaluate: (one: Case) => readonly Printed[] | 'delegated' | 'refused'): Outcome {
  const found = evaluate(one);
  if (typeof found === 'string') return found;
  if (one.expect === 'value' && isExpected(one, found)) return 'right';
  const expected = JSON.stringify(one.outputs ?? 'an error');
  return `wrong ${one.name}: ${one.expression} gives ${JSON.stringify(found)} for ${expected}`;
}

/** By form: cases in which it differs on purpose. */
const agreed: Readonly<Record<'rules' | 'extractor', readonly string[]>> = {
  rules: [],
  extractor: [
    // R4's own parameters use `as` on several values, by which they mean ofType.
    'testFHIRPathAsFunction21',
    // Of derived types too, as the words of the standard say and as fhirpath.js does: `(ConceptMap.source as uri)` is
    // a canonical.
    'testFHIRPathAsFunction11',
    'testFHIRPathAsFunction16',
  ],
};

function count(
  form: keyof typeof agreed,
  evaluate: (one: Case) => readonly Printed[] | 'delegated' | 'refused',
): Readonly<Record<string, number>> {
  const outcomes = cases.filter(({ name }) => !agreed[form].includes(name)).map(one => outcomeOf(one, evaluate));
  expect(outcomes.filter(outcome => outcome.startsWith('wrong'))).toEqual([]);
  return Object.fromEntries([...Map.groupBy(outcomes, outcome => outcome)].map(([name, all]) => [name, all.length]));
}

describe('the official cases', () => {
  it('are evaluated as expected by rules, left to fhirpath.js, or refused', () => {
    const counts = count('rules', one => {
      const node = nodeOf(inputOf(one), types);
      const rule = compileRule(one.expression, types, { context: [node] });
      if (rule.kind !== 'compiled') return rule.kind;
      try {
        return rule.evaluate([node], environmentOn(node, types)).map(printed);
      } catch (error) {
        if (error instanceof Undecided) return 'delegated';
        if (error instanceof EvaluationError) return 'refused';
        throw error;
      }
    });
    expect(counts['right']).toBeGreaterThan(580);
  });

  it('are read as expected by the extractor, left to fhirpath.js, or refused', () => {
    const counts = count('extractor', one => {
      const input = inputOf(one);
      try {
        const compiled = compileExpression(one.expression, String(input['resourceType']), types);
        if (compiled.fallback) return 'delegated';
        return compiled.evaluate(input).map(({ type, value }) => ({ type, value: String(value) }));
      } catch (error) {
        if (error instanceof ExpressionError) return 'refused';
        throw error;
      }
    });
    expect(counts['right']).toBeGreaterThan(105);
  });
});

function printed(item: Item): Printed {
  const value = plain(item);
  const text =
    typeof value === 'object' ? ('text' in value ? value.text : `${value.value} ${value.unit}`) : String(value);
  if (typeof item !== 'object') return { type: typeof item === 'number' ? 'integer' : typeof item, value: text };
  switch (item.kind) {
    case 'node':
      return { type: item.code, value: text };
    case 'temporal':
      return { type: item.type, value: text };
    case 'decimal':
    case 'quantity':
      return { type: item.kind, value: text };
    default:
      return item satisfies never;
  }
}

import { compileExpression } from '../fhirpath/extract/expression.ts';
import type { Receive, ResultType } from '../fhirpath/extract/expression.ts';
import type { SearchParam } from '../model/model.ts';
import type { CompositeValue } from './entry.ts';
import { entriesOf } from './index.ts';
import type { Emit, Meanings, Reading } from './reading.ts';

type Single = CompositeValue['of'][number][number];

/**
 * One tuple for each result of the composite's expression that has a value for every component.
 * https://hl7.org/fhir/R4/search.html#composite
 */
export function compositeEntries(
  param: SearchParam,
  type: ResultType,
  emit: Emit,
  reading: Reading,
  model: Meanings,
): Receive | undefined {
  let values: Single[] = [];
  const keep: Emit = value => {
    if (value.kind !== 'composite' && value.kind !== 'unsearchable') values.push(value);
  };
  const runs = param.components.map(component =>
    compileExpression(component.expression, type, model.definitions).bind(found =>
      entriesOf(component.param, found, keep, reading, model),
    ),
  );
  return value => {
    if (typeof value !== 'object' || value === null) return;
    const of: Single[][] = [];
    for (const run of runs) {
      values = [];
      run(value, reading.resource);
      if (values.length === 0) return;
      of.push(values);
    }
    emit({ kind: 'composite', of });
  };
}

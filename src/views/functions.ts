import { plainly, textOf } from '../fhirpath/evaluate/function-forms.ts';
import type { Build } from '../fhirpath/evaluate/function-forms.ts';
import { payForText } from '../fhirpath/evaluate/environment.ts';
import { EvaluationError } from '../fhirpath/evaluate/errors.ts';
import { plain } from '../fhirpath/evaluate/item.ts';
import { isNode } from '../fhirpath/evaluate/type-test.ts';
import { referenceKey, resourceKey } from '../fhirpath/record-keys.ts';
import { specifiedType } from '../fhirpath/names.ts';
import { ExpressionError } from '../fhirpath/syntax.ts';
import { boundaryFunctions } from './boundary.ts';
import type { ViewState } from './view.ts';

/** Texts of a collection with a separator between them; '' for no texts, as the official cases of views have it. */
const join: Build = (args, compiling, at) => {
  if (args.length > 1) throw new ExpressionError(compiling.text, at, 'This function takes at most one argument');
  const [separator] = args.map(arg => compiling.compile(arg, compiling));
  return (input, environment) => {
    const outer = environment.this === undefined ? input : [environment.this];
    const between = separator === undefined ? '' : textOf(separator(outer, environment));
    const texts = input.flatMap(item => {
      const value = plain(item);
      if (value === undefined) return [];
      if (typeof value !== 'string') throw new EvaluationError('texts were expected');
      return [value];
    });
    payForText(
      texts.reduce((sum, text) => sum + text.length + between.length, 0),
      environment.budget,
    );
    return [texts.join(between)];
  };
};

/** The functions that views have beside those of FHIRPath, and those that read the state of a run. */
export const viewFunctions = (state: ViewState): Readonly<Record<string, Build>> => ({
  __proto__: null as never, // function names come from expressions
  ...boundaryFunctions,
  join,
  getResourceKey: plainly((input, { budget }) => {
    budget.spend(input.length);
    return input.flatMap(item => (isNode(item) && item.parent === undefined ? (resourceKey(item.value) ?? []) : []));
  }),
  getReferenceKey: ([type, ...more], compiling, at) => {
    if (more.length > 0) throw new ExpressionError(compiling.text, at, 'This function takes at most one argument');
    const code = type === undefined ? undefined : specifiedType(type, compiling.text, compiling.types).code;
    return (input, { budget }) => {
      budget.spend(input.length);
      return input.flatMap(item => (isNode(item) ? (referenceKey(item.value, code) ?? []) : []));
    };
  },
  now: plainly(() => [{ kind: 'temporal', type: 'DateTime', text: state.now }]),
  today: plainly(() => [{ kind: 'temporal', type: 'Date', text: state.now.slice(0, 10) }]),
  timeOfDay: plainly(() => [{ kind: 'temporal', type: 'Time', text: state.now.slice(11, 23) }]),
});

/** Functions whose results depend on the time of the run. */
export const clockFunctions: ReadonlySet<string> = new Set(['now', 'today', 'timeOfDay']);

/** Functions that need other records, definitions or services: a row is a function of one record. */
export const refusedFunctions: ReadonlySet<string> = new Set(
  'resolve memberOf subsumes subsumedBy conformsTo elementDefinition slice checkModifiers htmlChecks trace'.split(' '),
);

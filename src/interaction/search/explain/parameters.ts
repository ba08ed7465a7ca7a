import type { JsonObject } from '../../../fhir/json-object.ts';
import type { ExplainedSearch, Explanation } from './explanation.ts';
import type { Statement, Step } from './record.ts';

/**
 * An explanation as a Parameters resource: its parts have types, and it is no searchset, since it has no matches.
 * Plans of indexes that partitions share are left out, with what they examine: they could reveal other partitions.
 * https://hl7.org/fhir/R4/parameters.html
 */
export function explanationParameters({ searches, includes, steps, refusal }: Explanation): JsonObject {
  const areOwn = (steps ?? []).every(({ sharesIndexes }) => !sharesIndexes);
  const sum = (of: (step: Step) => number): number => (steps ?? []).reduce((total, step) => total + of(step), 0);
  return {
    resourceType: 'Parameters',
    parameter: [
      ...searches.map(searchPart),
      ...includes.map(written => text('include', written)),
      ...(steps === undefined ? [text('omitted', omitted)] : steps.map(stepPart)),
      ...(steps === undefined || !areOwn
        ? []
        : [
            whole(
              'examined',
              sum(step => step.examined),
            ),
          ]),
      ...(steps === undefined
        ? []
        : [
            whole(
              'returned',
              sum(step => step.returned),
            ),
          ]),
      ...(refusal === undefined ? [] : [text('refusal', refusal)]),
    ],
  };
}

const omitted =
  'The statements and the numbers of rows are shown to callers who may see every record of the searched and included ' +
  'types.';

const searchPart = ({ type, query, clauses, sort, sortIndex, count, restricted }: ExplainedSearch): JsonObject =>
  part('search', [
    code('type', type),
    text('query', query),
    ...clauses.map(clause => part('clause', [text('query', clause.query), code('by', clause.by)])),
    text('sort', sort),
    flag('sortIndex', sortIndex),
    whole('count', count),
    flag('restricted', restricted),
  ]);

const stepPart = ({ operation, type, clauses, order, statements, sharesIndexes, ...counts }: Step): JsonObject =>
  part('step', [
    code('operation', operation),
    code('type', type),
    ...clauses.map(({ clause, index, use }) =>
      part('clause', [
        text('clause', clause),
        ...optional('index', index),
        ...(sharesIndexes ? [] : [code('use', use)]),
      ]),
    ),
    ...order.map(({ key, index }) => part('order', [text('key', key), ...optional('index', index)])),
    ...statements.map(statement => statementPart(statement, sharesIndexes)),
    ...countParts(counts, sharesIndexes),
  ]);

const statementPart = ({ text: statement, plan, ...counts }: Statement, sharesIndexes: boolean): JsonObject =>
  part('statement', [
    text('text', statement),
    ...(sharesIndexes ? [] : plan.map(step => text('plan', step))),
    ...countParts(counts, sharesIndexes),
  ]);

const countParts = (
  { times, examined, returned }: Pick<Step, 'times' | 'examined' | 'returned'>,
  sharesIndexes: boolean,
): readonly JsonObject[] => [
  whole('times', times),
  ...(sharesIndexes ? [] : [whole('examined', examined)]),
  whole('returned', returned),
];

const part = (name: string, parts: readonly JsonObject[]): JsonObject => ({ name, part: parts });
const text = (name: string, valueString: string): JsonObject => ({ name, valueString });
const code = (name: string, valueCode: string): JsonObject => ({ name, valueCode });
const flag = (name: string, valueBoolean: boolean): JsonObject => ({ name, valueBoolean });
const whole = (name: string, valueInteger: number): JsonObject => ({ name, valueInteger });
const optional = (name: string, value: string | undefined): readonly JsonObject[] =>
  value === undefined ? [] : [text(name, value)];

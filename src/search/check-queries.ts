import type { Problem } from '../definitions/problem.ts';
import { FhirError } from '../fhir/error.ts';
import type { Model, NamedQuery, ResourceType } from '../model/model.ts';
import { placeholdersIn } from '../model/named-queries.ts';
import { CodesUnknown } from './parse/code-set.ts';
import { parseCriterion } from './parse/parameter.ts';

/** A problem for each criterion of a named query that is no search of its type. */
export function queryProblems(model: Model): readonly Problem[] {
  return [...model.types.values()].flatMap(type =>
    [...type.queries.values()].flatMap(query =>
      query.criteria.flatMap(criterion => {
        const text = problemOf(type, query, criterion, model);
        return text === undefined ? [] : [{ ...query.source, text }];
      }),
    ),
  );
}

/** Values with which a criterion with placeholders is tried: none may fit, which only a request decides. */
const samples = { number: '1', date: '2000', string: 'a', token: 'a', reference: 'a', quantity: '1', uri: 'http://a' };

function problemOf(
  type: ResourceType,
  { code, parameters }: NamedQuery,
  [name, template]: readonly [string, string],
  model: Model,
): string | undefined {
  const value = template.replace(/\{([^{}]*)\}/g, (_, one: string) => samples[parameters.get(one)?.type ?? 'string']);
  try {
    parseCriterion(type, [name, value], {
      model,
      base: 'http://localhost/r4/partition',
      zone: 'UTC',
      handling: 'strict',
      now: 0,
      joins: true,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    // A set of codes may be known to the terminology server, and a value may only be wrong in this sample.
    if (error instanceof CodesUnknown) return undefined;
    if (placeholdersIn(template).length > 0 && error.issues[0]?.code === 'value') return undefined;
    const what = `The criterion \`${name}=${template}\` of the query \`${code}\``;
    return `${what} is no search of ${type.name}: ${error.message}`;
  }
}

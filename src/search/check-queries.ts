import type { Problem } from '../definitions/problem.ts';
import { FhirError } from '../fhir/error.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Model, NamedQuery, ResourceType } from '../model/model.ts';
import { placeholdersIn } from '../model/named-queries.ts';
import { CodesUnknown } from './parse/code-set.ts';
import { parseCriterion } from './parse/parameter.ts';

/** A problem for each criterion of a named query or of an operation that is no search of its type. */
export function queryProblems(model: Model): readonly Problem[] {
  return [...model.types.values()].flatMap(type => {
    const operations = [...type.operations.values()].flatMap(({ query }) => query ?? []);
    return [...type.queries.values(), ...operations].flatMap(query =>
      query.cases.flatMap(({ criteria, latest, source }) =>
        [
          ...criteria.map(criterion => problemOf(type, query, criterion, model)),
          latest === undefined ? undefined : problemOfLatest(type, query, latest),
        ].flatMap(text => (text === undefined ? [] : [{ ...source, text }])),
      ),
    );
  });
}

function problemOfLatest(type: ResourceType, { label }: NamedQuery, latest: string): string | undefined {
  if (type.parameters.get(latest)?.type === 'date') return undefined;
  const dates = [...type.parameters.values()].filter(one => one.type === 'date').map(({ code }) => code);
  return `\`latest\` of the ${label} is \`${latest}\`, no date parameter of ${type.name}.${didYouMean(latest, dates)}`;
}

/** Values with which a criterion with placeholders is tried: none may fit, which only a request decides. */
const samples = { number: '1', date: '2000', string: 'a', token: 'a', reference: 'a', quantity: '1', uri: 'http://a' };

function problemOf(
  type: ResourceType,
  { label, parameters }: NamedQuery,
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
    const what = `The criterion \`${name}=${template}\` of the ${label}`;
    return `${what} is no search of ${type.name}: ${error.message}`;
  }
}

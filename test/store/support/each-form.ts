import { FhirError } from '../../../src/fhir/error.ts';
import type { Model, ResourceType, SearchParam } from '../../../src/model/model.ts';
import type { Query } from '../../../src/search/ast.ts';
import { parseSearch } from '../../../src/search/parse/search.ts';
import { needsCandidates } from '../../../src/search/walk.ts';
import { type Form, formsOf } from './forms.ts';

/** Of the types of R4, one of so many is tried; `CRS_TEST_PLANS` tries all of them. */
export const oneOf = process.env['CRS_TEST_PLANS'] === undefined ? 12 : 1;

/** Every `every`th type of a model. */
export function someTypes({ types }: Model, every: number): readonly ResourceType[] {
  return [...types.values()].filter((_, at) => at % every === 0);
}

/** What each form of each parameter means. */
export interface Meant {
  readonly type: ResourceType;
  readonly param: SearchParam;
  readonly form: Form;
  readonly query: Query;
}

/** Every form that stores answer of each parameter of these types, without values that it does not take. */
export function* eachForm(model: Model, types: readonly ResourceType[]): Iterable<Meant> {
  for (const type of types)
    for (const param of type.parameters.values())
      for (const form of formsOf(param)) {
        const query = queryOf(model, type, form);
        if (query !== undefined && !needsCandidates(query)) yield { type, param, form, query };
      }
}

export const contextOf = (model: Model) =>
  ({ model, base: 'https://example.org/r4/demo', zone: 'UTC', handling: 'strict', now: 0, joins: true }) as const;

function queryOf(model: Model, type: ResourceType, { name, value }: Form): Query | undefined {
  try {
    return parseSearch(type, [[name, value]], contextOf(model)).query;
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return undefined;
  }
}

import { badValue } from '../../fhir/error.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query, Tree } from '../ast.ts';
import { parseReferenceValue } from './reference.ts';
import type { ParseSpecial } from './special.ts';
import { type SearchContext, type Value, malformed } from './value.ts';

/**
 * `:below` and `:above` on a reference: to the resource itself, or to one below or above it in the hierarchy of its
 * type (`ResourceType.hierarchy`). Throws FhirError 400 for a resource of a type without one.
 * https://hl7.org/fhir/R4/search.html#reference
 */
export const treeParser =
  (how: Tree['how']): ParseSpecial =>
  (values, { context }) => ({ kind: 'or', of: values.flatMap(value => trees(value, how, context)) });

function trees(value: Value, how: Tree['how'], context: SearchContext): readonly Query[] {
  const { param, text } = value;
  const isIdAlone = !text.includes('/');
  const found = parseReferenceValue(value, context).flatMap((test): readonly Query[] => {
    if (test.kind !== 'reference' || test.id === undefined) return [{ kind: 'param', param, test }];
    if (test.type === undefined) throw malformed(value, 'write `Type/id`');
    const type = hierarchical(test.type, context);
    if (type?.hierarchy === undefined) {
      if (isIdAlone) return [];
      throw badValue(value.name, `${test.type} has no hierarchy here: search \`${param.code}=${text}\` instead.`);
    }
    return [{ kind: 'tree', param, type, by: type.hierarchy, how, id: test.id, of: { kind: 'all' } }];
  });
  if (found.length > 0) return found;
  throw malformed(value, 'none of the types to which it refers has a hierarchy here');
}

function hierarchical(name: string, { model }: SearchContext): ResourceType | undefined {
  const type = model.types.get(name);
  return type?.interactions.has('search-type') === true ? type : undefined;
}

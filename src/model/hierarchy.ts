import { asString } from '../fhir/json-object.ts';
import type { Declared } from './definition-nodes.ts';
import { extensions, items } from './definition-nodes.ts';
import { textOf } from './extensions.ts';
import type { SearchParam } from './model.ts';
import type { ParameterCompiler } from './search-parameters.ts';

/** The hierarchies of the declared types. */
export interface Hierarchies {
  /**
   * The parameter by which resources of the type refer to the one above them: the only one of the declared parameters
   * that is a reference to its own type alone and that a resource has at most once. Undefined without search.
   * https://hl7.org/fhir/R4/search.html#reference
   */
  of(typeName: string): SearchParam | undefined;
}

export function createHierarchies({ types }: Pick<Declared, 'types'>, parameters: ParameterCompiler): Hierarchies {
  const known = new Map<string, SearchParam | undefined>();
  const find = (typeName: string): SearchParam | undefined => {
    const nodes = types.get(typeName) ?? [];
    if (!items(nodes, 'interaction').some(({ json }) => json['code'] === 'search-type')) return undefined;
    const offered = items(nodes, 'searchParam').map(node => {
      const canonical = asString(node.json['definition']);
      if (canonical !== undefined) return parameters.byCanonical(canonical, typeName, node, 'definition');
      return parameters.byCode(asString(node.json['name']) ?? '', typeName, node, 'name');
    });
    const indexed = extensions(nodes, 'indexed-only').map(node =>
      parameters.byCanonical(textOf(node.json) ?? '', typeName, node, 'valueCanonical'),
    );
    const found = new Map(
      [...offered, ...indexed].flatMap(param => (param && leadsUp(param) ? [[param.code, param]] : [])),
    );
    return found.size === 1 ? [...found.values()][0] : undefined;
  };
  return {
    of(typeName) {
      if (!known.has(typeName)) known.set(typeName, find(typeName));
      return known.get(typeName);
    },
  };
}

function leadsUp({ type, targets, single, dataTypes, resourceType }: SearchParam): boolean {
  const isReference = type === 'reference' && dataTypes.size === 1 && dataTypes.has('Reference');
  return isReference && single && targets.length === 1 && targets[0] === resourceType;
}

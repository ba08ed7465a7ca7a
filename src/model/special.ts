import { hash } from 'node:crypto';
import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asString, stringsOf } from '../fhir/json-object.ts';
import { bareParameter } from './bare-parameter.ts';
import { extensions } from './definition-nodes.ts';
import type { DefinitionNode, ReportAt } from './definition-nodes.ts';
import { textOf } from './extensions.ts';
import type { ResultType } from '../fhirpath/extract/expression.ts';
import type { ResourceType, SearchParam } from './model.ts';

/**
 * The reference parameter by which records of another type refer to those that a parameter of type special finds, from
 * the extension `referred-by`; undefined without one. `compile` compiles it for its type. Reports one that is not
 * loaded or is no reference of one type.
 */
export function referredBy(
  here: DefinitionNode,
  definitions: Definitions,
  compile: (definition: Definition, typeName: string) => SearchParam | undefined,
  report: ReportAt,
): SearchParam | undefined {
  const [node] = extensions([here], 'referred-by');
  if (node === undefined) return undefined;
  const canonical = textOf(node.json) ?? '';
  const definition = definitions.find('SearchParameter', canonical);
  const json = definition?.resource();
  if (definition === undefined || json === undefined) {
    report(node, 'valueCanonical', `No SearchParameter \`${canonical}\` is loaded.`);
    return undefined;
  }
  const [base = '', ...others] = stringsOf(json['base']);
  if (json['type'] !== 'reference' || others.length > 0) {
    report(node, 'valueCanonical', `\`${canonical}\` is not a reference parameter of one type.`);
    return undefined;
  }
  return compile(definition, base);
}

/** A parameter that finds the records to which one record refers by another parameter. It has no entries of its own. */
export function membersParameter(
  { definition, json }: DefinitionNode,
  { code, resourceType }: Pick<SearchParam, 'code' | 'resourceType'>,
  by: SearchParam,
): SearchParam {
  return bareParameter({
    code,
    type: 'special',
    url: definition.version === undefined ? definition.url : `${definition.url}|${definition.version}`,
    resourceType,
    special: { kind: 'members', by },
    description: asString(json['description']),
  });
}

/** The meaning of a parameter whose elements are positions on Earth; undefined for all others. */
export function positionParameter(
  results: readonly ResultType[],
  url: string,
  resourceType: string,
): Pick<SearchParam, 'special' | 'components'> | undefined {
  const names = ['latitude', 'longitude'] as const;
  const isPosition = ({ definition }: ResultType): boolean => names.every(name => definition?.elements.has(name));
  if (results.length === 0 || !results.every(isPosition)) return undefined;
  const component = (name: string): SearchParam['components'][number] => ({
    expression: name,
    param: bareParameter({
      code: name,
      type: 'number',
      url,
      resourceType,
      expression: name,
      dataTypes: new Set(['decimal']),
      digest: hash('sha256', name),
    }),
  });
  return { special: { kind: 'near' }, components: names.map(component) };
}

/**
 * Reports parameters of members whose records cannot be searched: the type must be declared with `search-type`, and the
 * parameter that refers to them indexed.
 */
export function checkMembers(
  declared: ReadonlyMap<string, readonly DefinitionNode[]>,
  types: ReadonlyMap<string, ResourceType>,
  report: ReportAt,
): void {
  for (const { name, parameters } of types.values()) {
    const [node] = declared.get(name) ?? [];
    for (const { code, special } of parameters.values()) {
      if (special?.kind !== 'members' || node === undefined) continue;
      const { resourceType, code: by, url } = special.by;
      const type = types.get(resourceType);
      if (type?.interactions.has('search-type') !== true)
        report(node, 'searchParam', `\`${code}\` needs ${resourceType} with \`search-type\`; declare it.`);
      else if (type.indexed.get(by)?.url !== url) {
        const advice = 'offer it, or declare it as `indexed-only`';
        report(node, 'searchParam', `\`${code}\` needs the parameter \`${by}\` of ${resourceType}, ${url}; ${advice}.`);
      }
    }
  }
}

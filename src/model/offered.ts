import { asString } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { items } from './definition-nodes.ts';
import type { DefinitionNode } from './definition-nodes.ts';
import type { SearchParam } from './model.ts';
import type { CompileContext } from './context.ts';
import { modifiersOfNodes, modifiersOfOffer, withModifiers } from './search-modifiers.ts';

/**
 * The search parameters of a type: its own `searchParam`s, and those of `rest` if it can be searched. Two nodes may
 * declare the same one; two different ones with one name are a problem that names both files.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.searchParam
 */
export function offeredParameters(
  typeName: string,
  nodes: readonly DefinitionNode[],
  searchable: boolean,
  context: CompileContext,
): ReadonlyMap<string, SearchParam> {
  const { report } = context;
  const own = items(nodes, 'searchParam');
  if (!searchable)
    for (const node of own) report(node, '', `${typeName} declares no \`search-type\`, so it can offer no parameter.`);
  const everywhere = searchable ? items(context.declared.rests, 'searchParam') : [];
  const offered = new Map<string, { readonly param: SearchParam; readonly node: DefinitionNode }>();
  for (const node of [...everywhere, ...own]) {
    const param = compileOffered(typeName, node, context);
    if (param === undefined) continue;
    const there = offered.get(param.code);
    if (there === undefined) offered.set(param.code, { param, node });
    else if (there.param.url !== param.url)
      report(
        node,
        'definition',
        `${typeName} offers \`${param.code}\` as ${param.url} here and as ${there.param.url} in ` +
          `${there.node.definition.file}; they must agree.`,
      );
  }
  for (const code of offered.keys()) {
    const other = [...offered.keys()].find(known => known !== code && known.toLowerCase() === code.toLowerCase());
    const node = offered.get(code)?.node;
    if (other !== undefined && node !== undefined)
      report(node, 'name', `The parameters \`${code}\` and \`${other}\` of ${typeName} differ only by case.`);
  }
  const isHierarchical = (name: string): boolean => context.hierarchies.of(name) !== undefined;
  const ofAll = modifiersOfNodes([...context.declared.rests, ...nodes]);
  const declared = new Map<string, string[]>();
  for (const node of [...everywhere, ...own]) {
    const { param } = offered.get(asString(node.json['name']) ?? '') ?? {};
    if (param === undefined) continue;
    declared.set(param.code, [
      ...(declared.get(param.code) ?? ofAll),
      ...modifiersOfOffer(node, param, isHierarchical, report),
    ]);
  }
  return new Map(
    [...offered].map(([code, { param }]) => [code, withModifiers(param, declared.get(code) ?? [], isHierarchical)]),
  );
}

/** Parameters that control the answer; every search accepts them, and no SearchParameter defines them. */
export const controls: ReadonlySet<string> = new Set([
  '_count',
  '_page_token',
  '_sort',
  '_summary',
  '_elements',
  '_total',
  '_format',
  '_pretty',
  '_include',
  '_revinclude',
]);

function compileOffered(
  typeName: string,
  node: DefinitionNode,
  { parameters, report }: CompileContext,
): SearchParam | undefined {
  const name = asString(node.json['name']) ?? '';
  const canonical = asString(node.json['definition']);
  if (controls.has(name)) {
    report(node, 'name', `\`${name}\` is not a search parameter but controls the answer; remove the declaration.`);
    return undefined;
  }
  const param =
    canonical === undefined
      ? parameters.byCode(name, typeName, node, 'name')
      : parameters.byCanonical(canonical, typeName, node, 'definition');
  if (param === undefined) {
    if (canonical === undefined && !parameters.codes(typeName).includes(name))
      report(
        node,
        'name',
        `No SearchParameter \`${name}\` of ${typeName} is loaded.${didYouMean(name, parameters.codes(typeName))}`,
      );
    return undefined;
  }
  if (param.type === 'special' && param.special === undefined)
    report(
      node,
      canonical === undefined ? 'name' : 'definition',
      `The parameter \`${param.code}\` is of type special and is neither a position nor \`referred-by\` another; ` +
        'remove it.',
    );
  if (param.code !== name)
    report(node, 'name', `The parameter is called \`${param.code}\` by its definition, not \`${name}\`.`);
  const type = node.json['type'];
  if (type !== undefined && type !== param.type)
    report(
      node,
      'type',
      `The parameter \`${name}\` is of type ${param.type} by its definition, not ${JSON.stringify(type)}.`,
    );
  return param;
}

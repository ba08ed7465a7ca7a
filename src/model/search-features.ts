import { didYouMean } from '../fhir/suggest.ts';
import type { CompileContext } from './context.ts';
import { extensions, texts } from './definition-nodes.ts';
import type { Declared, ReportAt, DefinitionNode } from './definition-nodes.ts';
import { textOf } from './extensions.ts';
import type { ResourceType } from './model.ts';

/** The search features of a type beyond its parameters, from its own declarations and from those of `rest`. */
export function searchFeaturesOf(nodes: readonly DefinitionNode[], { declared }: CompileContext): ReadonlySet<string> {
  const found = extensions([...declared.rests, ...nodes], 'search-feature');
  return new Set(found.flatMap(({ json }) => textOf(json) ?? []));
}

/** True if searches of any type look into contained resources: by `_contained`, chains or `_has`. */
export function areContainedSearched({ declared }: Pick<CompileContext, 'declared'>): boolean {
  const nodes = [...declared.rests, ...[...declared.types.values()].flat()];
  return extensions(nodes, 'search-feature').some(({ json }) => intoContained.has(textOf(json) ?? ''));
}

const intoContained: ReadonlySet<string> = new Set(['contained', 'chain', 'has']);

/** The scopes that allow `_explain`. */
export function explainScopesOf({ rests }: Declared): ReadonlySet<string> {
  return new Set(extensions(rests, 'search-explain').flatMap(({ json }) => textOf(json) ?? []));
}

/**
 * Values that `_include` and `_revinclude` accept.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.searchInclude
 */
export function includesOf(nodes: readonly DefinitionNode[]): ResourceType['includes'] {
  const named = (element: string): ReadonlySet<string> => new Set(texts(nodes, element).map(({ text }) => text));
  return { forward: named('searchInclude'), reverse: named('searchRevInclude') };
}

/** Reports each declared include that names no reference parameter of a declared type. */
export function checkIncludes(
  declared: ReadonlyMap<string, readonly DefinitionNode[]>,
  types: ReadonlyMap<string, ResourceType>,
  report: ReportAt,
): void {
  for (const nodes of declared.values()) {
    for (const element of ['searchInclude', 'searchRevInclude']) {
      for (const { text, ...node } of texts(nodes, element)) {
        const problem = problemOf(text, types);
        if (problem !== undefined) report(node, '', problem);
      }
    }
  }
}

function problemOf(include: string, types: ReadonlyMap<string, ResourceType>): string | undefined {
  if (include === '*') return undefined;
  const [name = '', code = '', target, ...more] = include.split(':');
  if (code === '' || more.length > 0)
    return `\`${include}\` is not valid; expected \`Type:parameter\`, \`Type:parameter:target\`, \`Type:*\` or \`*\`.`;
  const type = types.get(name);
  if (type === undefined) return `\`${include}\`: ${name} is not declared.${didYouMean(name, types.keys())}`;
  if (code === '*') return undefined;
  const param = type.parameters.get(code);
  const references = [...type.parameters.values()].filter(one => one.type === 'reference').map(one => one.code);
  if (param?.type !== 'reference')
    return `\`${include}\`: ${name} offers no reference parameter \`${code}\`.${didYouMean(code, references)}`;
  if (target !== undefined && param.targets.length > 0 && !param.targets.includes(target))
    return `\`${include}\`: \`${code}\` does not refer to ${target}.${didYouMean(target, param.targets)}`;
  return undefined;
}

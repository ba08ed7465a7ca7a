import { didYouMean } from '../fhir/suggest.ts';
import { extensions } from './definition-nodes.ts';
import type { DefinitionNode, ReportAt } from './definition-nodes.ts';
import { textOf } from './extensions.ts';
import type { SearchParam } from './model.ts';

/**
 * The codes of the parameters of a type for which the definitions ask for a sort index; reports parameters that the
 * type does not offer, and those without an order.
 */
export function sortIndexesOf(
  name: string,
  nodes: readonly DefinitionNode[],
  offered: ReadonlyMap<string, SearchParam>,
  report: ReportAt,
): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const node of extensions(nodes, 'sort-index')) {
    const code = textOf(node.json) ?? '';
    const param = offered.get(code);
    if (param === undefined) {
      const text = `${name} offers no parameter \`${code}\`.`;
      report(node, 'valueCode', `${text}${didYouMean(code, offered.keys())}`);
    } else if (param.type === 'composite' || param.type === 'special') {
      report(node, 'valueCode', `The parameter \`${code}\` is of type ${param.type}, by which nothing can be sorted.`);
    } else if (param.reads !== undefined) {
      report(
        node,
        'valueCode',
        `The values of the parameter \`${code}\` have no order, so nothing can be sorted by it.`,
      );
    } else codes.add(code);
  }
  return codes;
}

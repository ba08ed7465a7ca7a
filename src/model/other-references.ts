import { hash } from 'node:crypto';
import { bareParameter } from './bare-parameter.ts';
import { splitUnion } from './branch.ts';
import type { CompileContext } from './context.ts';
import { items } from './definition-nodes.ts';
import type { SearchParam } from './model.ts';

/** The code of the parameter with the references that no other one indexes. Clients cannot search by it. */
const otherReferencesCode = '_reference';

/** Raised whenever its entries change for the same paths (indexing/other-references.ts). */
const revision = 1;

/** True if clients can delete records of any type, so that references to them must be found. */
export function areDeleted({ declared }: Pick<CompileContext, 'declared'>): boolean {
  const nodes = [...declared.types.values()].flat();
  return items(nodes, 'interaction').some(({ json }) => json['code'] === 'delete');
}

/**
 * The parameter of a type with the references that its other parameters, `indexed`, do not index: in extensions, in
 * contained resources, in identifiers and in elements without a parameter.
 * https://hl7.org/fhir/R4/http.html#delete
 */
export function otherReferences(type: string, indexed: Iterable<SearchParam>): SearchParam {
  const indexedPaths = pathsOf(indexed);
  const decides = JSON.stringify(
    [...indexedPaths]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, to]) => [path, to === 'any' ? to : [...to].sort()]),
  );
  return bareParameter({
    code: otherReferencesCode,
    type: 'reference',
    resourceType: type,
    expression: type,
    dataTypes: new Set(['Reference']),
    reads: 'otherReferences',
    indexedPaths,
    digest: hash('sha256', `${otherReferencesCode} ${revision} ${decides}`).slice(0, 32),
  });
}

/** The paths of elements whose references parameters index, each with the types to which these may refer. */
function pathsOf(params: Iterable<SearchParam>): NonNullable<SearchParam['indexedPaths']> {
  const paths = new Map<string, Set<string> | 'any'>();
  for (const { type, reads, expression, targets } of params) {
    if (type !== 'reference' || reads !== undefined) continue;
    for (const part of splitUnion(expression)) {
      const [, path = '', only] = simplePath.exec(part.trim()) ?? [];
      const known = paths.get(path) ?? new Set<string>();
      if (path === '' || known === 'any') continue;
      if (targets.length === 0 && only === undefined) paths.set(path, 'any');
      else {
        const named = only === undefined ? targets : targets.filter(target => target === only);
        for (const target of named) known.add(target);
        paths.set(path, known);
      }
    }
  }
  return paths;
}

/** A path to references, all of them or those to one type: what any other expression selects is indexed twice. */
const simplePath = new RegExp(
  String.raw`^\(?([A-Z]\w*(?:\.[a-z]\w*)+?)(?: as Reference|\.(?:as|ofType)\(Reference\))?\)?` +
    String.raw`(?:\.where\(\s*resolve\(\) is (\w+)\s*\))?$`,
);

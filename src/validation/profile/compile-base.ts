import type { TypeDefinition } from '../../model/element.ts';
import { compileChecks } from './checks.ts';
import type { BaseChecks, Kit } from './walk.ts';
import { sourceOf } from './source.ts';
import type { Tree } from './tree.ts';

/**
 * The rules of R4 itself for the values of a type, beyond their structure: invariants, bindings, targets of references.
 * https://hl7.org/fhir/R4/conformance-rules.html
 */
export function compileBase(definition: TypeDefinition, kit: Kit): BaseChecks {
  const tree = kit.baseTree(definition.name);
  if (tree === undefined) return { own: [], elements: new Map() };
  const type = definition.name.split('.')[0] ?? '';
  const source = sourceOf(`http://hl7.org/fhir/StructureDefinition/${type}`);
  const backbone = definition.name.includes('.');
  const compile = (one: Tree) => compileChecks(one, undefined, undefined, source, kit);
  return {
    own: backbone ? [] : compile(tree), // those of a backbone belong to its element
    elements: new Map(
      tree.children.map(child => {
        const content = child.content === undefined ? [] : compile(child.content);
        return [child.name, [...compile(child), ...content]];
      }),
    ),
  };
}

import type { TypeDefinition } from '../../model/element.ts';
import { parseExpression } from '../parse.ts';
import { hasPart } from '../syntax.ts';
import type { Expression } from '../syntax.ts';

/**
 * The properties at the root of a resource of a type that an expression reads: `subject` of
 * `Observation.subject.where(resolve() is Patient)`. Its results on a resource with only these are the same, except for
 * what `resolve()` says of references to contained resources. Undefined if it may read others.
 */
export function propertiesRead(expression: string, type: TypeDefinition): readonly string[] | undefined {
  const names = new Set<string>();
  return placeOf(parseExpression(expression), type, names) === 'below' ? [...names] : undefined;
}

/** What a path leads to: the resource itself, or values in properties of its root; undefined if that is unknown. */
function placeOf(tree: Expression, type: TypeDefinition, names: Set<string>): 'root' | 'below' | undefined {
  switch (tree.kind) {
    case 'member': {
      const of = tree.of === undefined ? 'root' : placeOf(tree.of, type, names);
      if (of !== 'root') return of;
      if (tree.of === undefined && tree.name === type.name) return 'root';
      const element = type.elements.get(tree.name);
      element?.types.forEach(({ property }) => names.add(property));
      return element === undefined ? undefined : 'below';
    }
    case 'call':
      // All but variables is read in criteria from the value that they apply to.
      if (tree.of === undefined || tree.args.some(argument => hasPart(argument, ({ kind }) => kind === 'variable')))
        return undefined;
      return below(placeOf(tree.of, type, names));
    case 'index':
    case 'type':
      return below(placeOf(tree.of, type, names));
    case 'binary': {
      if (tree.operator !== '|') return undefined;
      const [left, right] = [placeOf(tree.left, type, names), placeOf(tree.right, type, names)];
      return below(left) && below(right);
    }
    case 'literal':
    case 'other':
    case 'sign':
    case 'this':
    case 'variable':
      return undefined;
    default:
      return tree satisfies never;
  }
}

/** A function of the whole resource may read every property. */
const below = (place: 'root' | 'below' | undefined): 'below' | undefined => (place === 'below' ? place : undefined);

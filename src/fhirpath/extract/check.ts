import { didYouMean } from '../../fhir/suggest.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { functions } from '../functions.ts';
import { namedType } from '../named-type.ts';
import type { Scope } from './scope.ts';
import { ExpressionError } from '../syntax.ts';
import type { Expression } from '../syntax.ts';

/**
 * Throws ExpressionError for unknown functions and types, and for `resolve()` if more than the type of its target is
 * used: other resources are not fetched for an index.
 */
export function checkNames(tree: Expression, text: string, definitions: TypeDefinitions): void {
  visit(tree, text, definitions, false);
}

function visit(tree: Expression, text: string, definitions: TypeDefinitions, typeAsked: boolean): void {
  switch (tree.kind) {
    case 'call': {
      const { name, at } = tree;
      if (!functions.has(name)) {
        throw new ExpressionError(text, at, `There is no function \`${name}()\`.${didYouMean(name, functions)}`);
      }
      if (/^(today|now|timeOfDay)$/.test(name)) {
        const why = 'the index would say when a record was indexed';
        throw new ExpressionError(text, at, `\`${name}()\` cannot be used in a search parameter: ${why}`);
      }
      if (name === 'resolve' && !typeAsked) {
        const why = 'other resources are not read for the index of this one';
        throw new ExpressionError(
          text,
          at,
          `\`resolve()\` can only be asked for its type, as in \`resolve() is Type\`: ${why}`,
        );
      }
      if (tree.of !== undefined) visit(tree.of, text, definitions, name === 'is');
      if (/^(is|as|ofType)$/.test(name)) namedType(tree.args[0], text, definitions);
      else for (const argument of tree.args) visit(argument, text, definitions, false);
      return;
    }
    case 'member':
      if (tree.of !== undefined) visit(tree.of, text, definitions, false);
      return;
    case 'index':
      visit(tree.of, text, definitions, false);
      visit(tree.index, text, definitions, false);
      return;
    case 'type':
      namedType(tree.type, text, definitions);
      visit(tree.of, text, definitions, tree.operator === 'is');
      return;
    case 'binary':
      visit(tree.left, text, definitions, false);
      visit(tree.right, text, definitions, false);
      return;
    case 'sign':
      visit(tree.of, text, definitions, false);
      return;
    case 'literal':
    case 'other':
    case 'this':
    case 'variable':
      return;
  }
}

/** Throws ExpressionError for a name that none of its possible types has. */
export function checkElements(scope: Scope): void {
  for (const [tree, { name, types }] of scope.missing) {
    if (scope.found.has(tree)) continue;
    const owners = [...new Set(types.map(type => type.definition?.name ?? type.code))];
    const known = types.flatMap(type => [...(type.definition?.elements.keys() ?? [])]);
    const hint = didYouMean(name, /^[A-Z]/.test(name) ? scope.definitions.resourceTypes : known);
    throw new ExpressionError(scope.text, tree.at, `There is no element \`${name}\` in ${owners.join(', ')}.${hint}`);
  }
}

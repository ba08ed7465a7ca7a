import type { Test } from '../ast.ts';
import { split } from './escape.ts';
import type { SearchParamType } from '../../model/model.ts';
import { malformed, type ValueParser } from './value.ts';

/**
 * `a$b`: each part by the rules of its component, both on the same tuple. `parserOf` returns the parser of a component.
 * https://hl7.org/fhir/R4/search.html#composite
 */
export const compositeParser =
  (parserOf: (type: SearchParamType) => ValueParser): ValueParser =>
  (value, context) => {
    const { components } = value.param;
    const parts = split(value.text, '$');
    if (parts.length !== components.length || parts.includes('')) {
      const shape = components.map(({ param }) => `{${param.code}}`).join('$');
      throw malformed(value, `write \`${shape}\`, ${components.length} values separated by \`$\``);
    }
    let tuples: readonly (readonly Test[])[] = [[]];
    for (const [at, { param }] of components.entries()) {
      const tests = parserOf(param.type)({ text: parts[at] ?? '', param, name: value.name }, context);
      tuples = tuples.flatMap(tuple => tests.map(test => [...tuple, test]));
    }
    return tuples.map(of => ({ kind: 'composite', of }));
  };

import type { SearchParam, SearchParamType } from '../../model/model.ts';
import { hierarchyParser, parseInValueSet } from './code-set.ts';
import { parseOfType } from './of-type.ts';
import { parseReferenceValue, referenceOf } from './reference.ts';
import { parseString, parseStringContains, parseStringExact } from './string.ts';
import { parseToken } from './token.ts';
import { canonicalTreeParser, uriTreeParser } from './uri.ts';
import type { ValueParser } from './value.ts';
import { parseWords } from './words.ts';

/**
 * The effect of a modifier: a test for the presence of values, a hierarchy, or another parser of values or its
 * complement.
 */
export type Modifier =
  | 'missing'
  | { readonly tree: 'above' | 'below' }
  | {
      readonly values: ValueParser;
      readonly complement?: true;
      /** The parameter with the entries that are tested, if not the named one. */
      readonly param?: SearchParam;
    };

/** Modifiers that need no declaration, by search type. https://hl7.org/fhir/R4/search.html#modifiers */
const always: Readonly<Record<SearchParamType, Readonly<Record<string, Modifier>>>> = {
  string: { missing: 'missing', exact: { values: parseStringExact }, contains: { values: parseStringContains } },
  token: { missing: 'missing', not: { values: parseToken, complement: true } },
  reference: { missing: 'missing' },
  date: { missing: 'missing' },
  number: { missing: 'missing' },
  quantity: { missing: 'missing' },
  uri: { missing: 'missing' },
  composite: {},
  special: { missing: 'missing' },
};

/** `name` is as searches write it. */
type Declared = { readonly name: string } & (
  { readonly values: ValueParser; readonly complement?: true } | { readonly tree: 'above' | 'below' }
);

/** Declared modifiers by search type and by their codes in R4. */
const declared: Readonly<Partial<Record<SearchParamType, Readonly<Record<string, Declared>>>>> = {
  string: { text: { name: 'text', values: parseWords } },
  token: {
    text: { name: 'text', values: parseString },
    ofType: { name: 'of-type', values: parseOfType },
    in: { name: 'in', values: parseInValueSet },
    'not-in': { name: 'not-in', values: parseInValueSet, complement: true },
    above: { name: 'above', values: hierarchyParser('above') },
    below: { name: 'below', values: hierarchyParser('below') },
  },
  reference: {
    identifier: { name: 'identifier', values: parseToken },
    above: { name: 'above', tree: 'above' },
    below: { name: 'below', tree: 'below' },
  },
  uri: {
    above: { name: 'above', values: uriTreeParser('above') },
    below: { name: 'below', values: uriTreeParser('below') },
  },
};

/** The code of `:[type]`. https://hl7.org/fhir/R4/valueset-search-modifier-code.html */
const typed = 'type';

/** A modifier of a parameter by its name in a search; undefined if the parameter does not offer it. */
export function findModifier(param: SearchParam, name: string, types: ReadonlySet<string>): Modifier | undefined {
  const known = withoutDeclaration(param);
  if (Object.hasOwn(known, name)) return known[name];
  if (param.modifiers.has(typed) && typesOf(param, types).has(name)) {
    return { values: (value, context) => parseReferenceValue(referenceOf(name, value), context) };
  }
  for (const code of param.modifiers) {
    const found = declared[param.type]?.[code];
    if (found?.name !== name) continue;
    if ('tree' in found && param.dataTypes.has('canonical')) return { values: canonicalTreeParser(found.tree) };
    return 'tree' in found ? found : { ...found, param: param.modified.get(code) ?? param };
  }
  return undefined;
}

/** The names of the modifiers that a parameter offers. */
export function offeredModifiers(param: SearchParam): readonly string[] {
  const names = [...param.modifiers].flatMap(code =>
    code === typed ? param.targets : (declared[param.type]?.[code]?.name ?? []),
  );
  return [...Object.keys(withoutDeclaration(param)), ...names];
}

/** Members have no values of their own, and the words of a full-text search are not compared as strings. */
function withoutDeclaration({ type, reads, special }: SearchParam): Readonly<Record<string, Modifier>> {
  if (special?.kind === 'members') return {};
  return reads === undefined ? always[type] : { missing: 'missing' };
}

function typesOf({ targets }: SearchParam, types: ReadonlySet<string>): ReadonlySet<string> {
  return targets.length === 0 ? types : new Set(targets);
}

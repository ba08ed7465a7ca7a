import { hash } from 'node:crypto';
import type { Definition } from '../definitions/definition.ts';
import { stringsOf } from '../fhir/json-object.ts';
import { extensions, type DefinitionNode, type ReportAt } from './definition-nodes.ts';
import { textOf } from './extensions.ts';
import type { SearchParam, SearchParamType } from './model.ts';
import { quotedCodes } from './interactions.ts';

/**
 * Data types of elements on which a modifier has a meaning; `any` for all of the search type, `hierarchy` for
 * references to a type with one (hierarchy.ts), and for canonicals, whose URLs have one.
 */
type On = 'any' | 'hierarchy' | readonly string[];

/** Whether a type has a hierarchy. */
type IsHierarchical = (typeName: string) => boolean;

/** Types of codes with a system. */
const coded = ['CodeableConcept', 'Coding', 'code'];

/**
 * The modifiers that a definition must declare, by the codes of R4; `type` is `:[type]`.
 * https://hl7.org/fhir/R4/valueset-search-modifier-code.html
 */
const declarable: Readonly<Partial<Record<SearchParamType, Readonly<Record<string, On>>>>> = {
  string: { text: 'any' },
  token: {
    text: ['CodeableConcept', 'Coding', 'Identifier'],
    ofType: ['Identifier'],
    in: coded,
    'not-in': coded,
    above: coded,
    below: coded,
  },
  reference: { type: 'any', identifier: ['Reference'], above: 'hierarchy', below: 'hierarchy' },
  uri: { above: 'any', below: 'any' },
};

/** Offered without a declaration. */
const always: Readonly<Partial<Record<SearchParamType, readonly string[]>>> = {
  string: ['missing', 'exact', 'contains'],
  token: ['missing', 'not'],
  reference: ['missing'],
  date: ['missing'],
  number: ['missing'],
  quantity: ['missing'],
  uri: ['missing'],
};

/** The entries of a modifier: what they are, and the search type of their parameter. */
type Own = Pick<SearchParam, 'type'> & { readonly reads: NonNullable<SearchParam['reads']> };

/** Modifiers whose values have entries of their own. */
const withEntries: Readonly<Partial<Record<SearchParamType, Readonly<Record<string, Own>>>>> = {
  string: { text: { reads: 'words', type: 'string' } },
  token: { text: { reads: 'text', type: 'string' }, ofType: { reads: 'ofType', type: 'composite' } },
  reference: { identifier: { reads: 'identifier', type: 'token' } },
};

/**
 * The declared modifiers of a SearchParameter in a single file; in packages and in R4 they describe what servers may
 * offer. Reports modifiers that the parameter cannot have.
 * https://hl7.org/fhir/R4/searchparameter-definitions.html#SearchParameter.modifier
 */
export function modifiersOfDefinition(
  definition: Definition,
  param: Modifiable & Pick<SearchParam, 'code'>,
  report: ReportAt,
): ReadonlySet<string> {
  if (definition.core || definition.package !== undefined) return new Set();
  const json = definition.resource();
  const given = stringsOf(json['modifier']);
  for (const [at, modifier] of given.entries())
    if (!(always[param.type] ?? []).includes(modifier) && !fits(param, modifier, anyType))
      report({ definition, path: '', json }, `modifier[${at}]`, cannotHave(param, modifier, anyType));
  return new Set(given.filter(modifier => fits(param, modifier, anyType)));
}

/**
 * The declared modifiers of all parameters of these nodes (`rest`, or a type). `withModifiers` leaves out those that a
 * parameter cannot have.
 */
export function modifiersOfNodes(nodes: readonly DefinitionNode[]): readonly string[] {
  return extensions(nodes, 'search-modifier').flatMap(({ json }) => textOf(json) ?? []);
}

/** The modifiers that a `searchParam` declares; reports those that its parameter cannot have. */
export function modifiersOfOffer(
  node: DefinitionNode,
  param: SearchParam,
  isHierarchical: IsHierarchical,
  report: ReportAt,
): readonly string[] {
  return extensions([node], 'search-modifier').flatMap(found => {
    const modifier = textOf(found.json) ?? '';
    if (fits(param, modifier, isHierarchical)) return [modifier];
    report(found, 'valueCode', cannotHave(param, modifier, isHierarchical));
    return [];
  });
}

/** The parameter with declared modifiers, those that it cannot have left out. */
export function withModifiers(
  param: SearchParam,
  given: readonly string[],
  isHierarchical: IsHierarchical = () => false,
): SearchParam {
  const modifiers = new Set([...param.modifiers, ...given].filter(modifier => fits(param, modifier, isHierarchical)));
  if (modifiers.size === 0 && param.modifiers.size === 0) return param;
  const sorted = [...modifiers].sort();
  const own = sorted.flatMap(modifier => {
    const entries = withEntries[param.type]?.[modifier];
    return entries === undefined ? [] : [[modifier, modifiedParam(param, modifier, entries)] as const];
  });
  return Object.freeze({ ...param, modifiers: new Set(sorted), modified: new Map(own) });
}

/** A parameter with those that are indexed for its modifiers. */
export const withModified = (param: SearchParam): readonly SearchParam[] => [param, ...param.modified.values()];

/** What decides which modifiers a parameter can have. */
type Modifiable = Pick<SearchParam, 'type' | 'dataTypes' | 'reads'> & Partial<Pick<SearchParam, 'targets'>>;

/** The type of a SearchParameter is not compiled yet: which types have a hierarchy is decided where it is offered. */
const anyType: IsHierarchical = () => true;

function fits(
  { type, dataTypes, reads, targets = [''] }: Modifiable,
  modifier: string,
  isHierarchical: IsHierarchical,
): boolean {
  if (reads !== undefined) return false;
  const known = declarable[type];
  const on = known !== undefined && Object.hasOwn(known, modifier) ? known[modifier] : undefined;
  if (on === undefined) return false;
  if (on === 'hierarchy')
    return dataTypes.has('canonical') || (dataTypes.has('Reference') && targets.some(isHierarchical));
  // Without types, and in extensions, the values decide.
  return on === 'any' || dataTypes.size === 0 || [...on, 'Extension'].some(name => dataTypes.has(name));
}

function cannotHave(
  param: Modifiable & Pick<SearchParam, 'code'>,
  modifier: string,
  isHierarchical: IsHierarchical,
): string {
  const offered = Object.keys(declarable[param.type] ?? {}).filter(one => fits(param, one, isHierarchical));
  const offer = offered.length === 0 ? 'It can have none.' : `It can have ${quotedCodes(offered)}.`;
  return `The parameter \`${param.code}\` of type ${param.type} cannot have the modifier \`${modifier}\`. ${offer}`;
}

/** The parameter that is indexed for a modifier of another; its index is built when the modifier is declared. */
function modifiedParam(param: SearchParam, modifier: string, { reads, type }: Own): SearchParam {
  const code = `${param.code}:${modifier}`;
  const digest = hash('sha256', JSON.stringify([param.digest, reads])).slice(0, 32);
  const none = { modifiers: new Set<string>(), modified: new Map<string, SearchParam>() };
  const own = { ...param, ...none, code, type, reads, digest, single: false, targets: [] };
  const part = (of: string): SearchParam['components'][number] => ({
    param: { ...own, code: of, type: 'token', components: [] },
    expression: '',
  });
  // An identifier of a type: the codings of the type, and the value.
  const components = type === 'composite' ? [part('type'), part('value')] : [];
  return Object.freeze({ ...own, components });
}

import { badValue } from '../../fhir/error.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Query } from '../ast.ts';
import type { QueryPair } from '../request.ts';
import { withIndexed } from '../with-indexed.ts';
import { emptyValue, unknownParameter, unsupportedModifier, unsupportedParameter } from './errors.ts';
import { split, wrongEscape } from './escape.ts';
import { parseFilter } from './filter/filter.ts';
import { treeParser } from './hierarchy.ts';
import { Ignorable } from './ignorable.ts';
import { parserOf } from './index.ts';
import { parseJoin, type WrittenJoin } from './join.ts';
import { findModifier, offeredModifiers, type Modifier } from './modifiers.ts';
import { isEmpty, isOne, queryOf } from './shape.ts';
import { type ParseSpecial, type SpecialContext, specialOf, specialParameters } from './special.ts';
import type { SearchContext, ValueParser } from './value.ts';

/**
 * Parses a parameter of the type; a comma is `or`. Throws FhirError 400, and `Ignorable` for parameters that lenient
 * handling ignores: unknown ones and those without a value. https://hl7.org/fhir/R4/search.html#introduction
 */
export function parseParameter(type: ResourceType, [name, text]: QueryPair, context: SearchContext): Query {
  return parseStep(type, name, { name, text, context, joins: [], parse: parseStep });
}

/**
 * Parses a criterion of a definition, which may have parameters that are indexed but not offered. Throws FhirError 400.
 */
export function parseCriterion(type: ResourceType, pair: QueryPair, context: SearchContext): Query {
  try {
    return parseParameter(withIndexed(type), pair, { ...context, handling: 'strict' });
  } catch (error) {
    throw error instanceof Ignorable ? error.cause : error;
  }
}

/** `step` is the rest of the name: a parameter of the type, or a chain or `_has` from it. */
function parseStep(type: ResourceType, step: string, written: WrittenJoin): Query {
  if (step === '_filter' && type.searchFeatures.has('filter') && written.context.joins) {
    if (written.text.trim() === '') throw new Ignorable(emptyValue(written.name));
    return parseFilter(type, written);
  }
  const join = parseJoin(type, step, written);
  if (join !== undefined) return join;
  const { name, text, context, joins } = written;
  const { param, modifier } = parseName(type, step, name, context.model.definitions.resourceTypes);
  if (isEmpty(text, param)) throw new Ignorable(emptyValue(name));
  if (modifier === 'missing') return missing(name, text, param);
  const parse = (pair: QueryPair): Query => parseCriterion(type, pair, context);
  if (modifier !== undefined && 'tree' in modifier) {
    if (context.joins === undefined) throw unsupportedParameter(name);
    return anyValue(name, text, param, { all: treeParser(modifier.tree) }, { type, context, parse });
  }
  // https://hl7.org/fhir/R4/search.html#has: `_has` finds resources with referring ones, not those without.
  if (modifier?.complement === true && joins.includes('has')) {
    const { resourceTypes } = context.model.definitions;
    const isComplement = (one: string): boolean => {
      const found = findModifier(param, one, resourceTypes);
      return typeof found === 'object' && 'complement' in found;
    };
    const offered = offeredModifiers(param).filter(one => !isComplement(one));
    throw unsupportedModifier(param.code, modifierIn(step), offered, name);
  }
  const tested = modifier?.param ?? param;
  const special = specialOf(tested);
  const read = special === undefined ? { each: modifier?.values ?? parserOf(tested) } : { all: special };
  const query = anyValue(name, text, tested, read, { type, context, parse });
  return modifier?.complement === true ? { kind: 'not', of: query } : query;
}

/** Parses `code` or `code:modifier`; `name` is the complete name that the client sent. */
function parseName(
  type: ResourceType,
  step: string,
  name: string,
  types: ReadonlySet<string>,
): { param: SearchParam; modifier: Modifier | undefined } {
  const exact = type.parameters.get(step);
  if (exact !== undefined) return { param: exact, modifier: undefined };
  const [code = ''] = step.split(':');
  const param = type.parameters.get(code);
  if (param === undefined && beside.has(code)) throw new Ignorable(unsupportedParameter(name));
  // Ignoring one of these would return other records, or all: an error under lenient handling too.
  if (param === undefined && selecting.has(code)) throw unsupportedParameter(name);
  if (param === undefined) throw new Ignorable(unknownParameter(type, code, name));
  const found = findModifier(param, modifierIn(step), types);
  if (found === undefined) throw unsupportedModifier(code, modifierIn(step), offeredModifiers(param), name);
  return { param, modifier: found };
}

/** The text behind the first colon. */
const modifierIn = (step: string): string => step.slice(step.indexOf(':') + 1);

/** Unsupported parameters of R4 that add to an answer, or control its form. https://hl7.org/fhir/R4/search.html#all */
const beside: ReadonlySet<string> = new Set(['_contained', '_containedType', '_score']);

/** Unsupported ones that select records. */
const selecting: ReadonlySet<string> = new Set(['_filter', '_query', '_text', '_content', '_list', '_type']);

/** https://hl7.org/fhir/R4/search.html#missing */
function missing(name: string, text: string, param: SearchParam): Query {
  if (text !== 'true' && text !== 'false') {
    throw badValue(name, `\`${text}\` is not a value for \`${name}\`: write \`true\` or \`false\`.`);
  }
  // Every resource has an id and a time of last update.
  const present: Query = specialParameters.has(param.code) ? { kind: 'all' } : { kind: 'present', param };
  return text === 'true' ? { kind: 'not', of: present } : present;
}

/** Reads all values together, or each as tests of entries. */
type Read =
  { readonly all: ParseSpecial; readonly each?: undefined } | { readonly each: ValueParser; readonly all?: undefined };

function anyValue(name: string, text: string, param: SearchParam, { all, each }: Read, at: SpecialContext): Query {
  const { context } = at;
  if (each !== undefined && isOne(text)) return queryOf({ text, param, name }, each, context);
  const wrong = wrongEscape(text);
  if (wrong !== undefined) {
    throw badValue(
      name,
      `\`${wrong}\` in the value of \`${name}\` is not valid: a \`\\\` must precede \`,\`, \`|\`, \`$\` or \`\\\`.`,
    );
  }
  const texts = split(text, ',');
  if (texts.some(part => isEmpty(part, param))) {
    throw badValue(
      name,
      `\`${name}\` has an empty value in its list: remove the comma, or write a comma in a value as \`\\,\`.`,
    );
  }
  const values = texts.map(text => ({ text, param, name }));
  if (each === undefined) return all(values, at);
  const tests = values.flatMap(value => each(value, context));
  return { kind: 'or', of: tests.map((test): Query => ({ kind: 'param', param, test })) };
}

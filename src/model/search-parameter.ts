import { hash } from 'node:crypto';
import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { branchFor, splitUnion } from './branch.ts';
import type { ReportAt, DefinitionNode } from './definition-nodes.ts';
import type { TypeDefinitions } from './element.ts';
import { compileExpression } from '../fhirpath/extract/expression.ts';
import type { CompiledExpression, ResultType } from '../fhirpath/extract/expression.ts';
import type { SearchParam } from './model.ts';
import { type Component, inOrder } from './component-order.ts';
import { codeProblem, isParameterType, typeProblem } from './parameter-head.ts';
import { modifiersOfDefinition } from './search-modifiers.ts';
import { takesInstead } from './search-types.ts';
import { tokenMeaning } from './token-meaning.ts';
import { membersParameter, positionParameter, referredBy } from './special.ts';
import { supertypes } from './type-definitions.ts';

/** Raised whenever the entries of an unchanged parameter change: all indexes are then rebuilt. */
export const indexVersion = 1;

/** Raised with a change that concerns some parameters only (`revisionOf`). */
export const revision = 6;

/**
 * Compiles a SearchParameter for one of its types; undefined for a mistake, which is reported in its own file.
 * https://hl7.org/fhir/R4/searchparameter.html
 */
export function compileParameter(
  definition: Definition,
  typeName: string,
  definitions: Definitions,
  types: TypeDefinitions,
  report: ReportAt,
): SearchParam | undefined {
  const json = definition.resource();
  const here: DefinitionNode = { definition, path: '', json };
  const type = json['type'];
  const code = asString(json['code']);
  const [wrongType, wrongCode] = [typeProblem(json), codeProblem(json)];
  if (wrongType !== undefined) report(here, 'type', wrongType);
  if (wrongCode !== undefined) report(here, 'code', wrongCode);
  if (!isParameterType(type) || code === undefined || wrongCode !== undefined) return undefined;
  const compile = (other: Definition, base: string): SearchParam | undefined =>
    compileParameter(other, base, definitions, types, report);
  const by = type === 'special' ? referredBy(here, definitions, compile, report) : undefined;
  if (by !== undefined) return membersParameter(here, { code, resourceType: typeName }, by);
  const fullText = fullTexts[definition.url];
  const whole = asString(json['expression']) ?? fullText?.(typeName);
  if (whole === undefined) {
    report(here, 'expression', `The parameter \`${code}\` has no FHIRPath \`expression\`, so it cannot be indexed.`);
    return undefined;
  }
  const reads = fullText === undefined ? phonetic(json) : ('words' as const);
  const expression = branchFor(whole, { name: typeName, supertypes: supertypes(typeName, types) }, types.resourceTypes);
  if (expression === undefined) {
    report(here, 'expression', `No part of \`${whole}\` applies to ${typeName}, which is a \`base\` of the parameter.`);
    return undefined;
  }
  const compiled = tryCompile(expression, typeName, types, text => report(here, 'expression', text));
  if (compiled === undefined) return undefined;
  const instead = reads !== 'words' ? takesInstead(type, compiled.types) : undefined;
  if (instead !== undefined) {
    report(here, 'expression', cannotIndex(expression, type, compiled.types, instead));
    return undefined;
  }
  const components =
    type === 'composite' ? compileComponents(here, compiled.results, typeName, definitions, types, report) : [];
  if (components === undefined) return undefined;
  const targets = targetsOf(json, expression, compiled.results);
  const param = {
    code,
    type,
    url: definition.version === undefined ? definition.url : `${definition.url}|${definition.version}`,
    resourceType: typeName,
    expression,
    targets,
    dataTypes: compiled.types,
    single:
      compiled.single &&
      type !== 'composite' &&
      type !== 'special' &&
      reads === undefined &&
      type !== 'uri' && // a URL may have an entry with its version
      [...compiled.types].every(name => oneEntry.has(name)),
    components,
    ...(type === 'special' ? positionParameter(compiled.results, definition.url, typeName) : {}),
    modifiers: modifiersOfDefinition(definition, { code, type, dataTypes: compiled.types, reads }, report),
    modified: new Map<string, SearchParam>(),
    reads,
    delegated: compiled.fallback || components.some(({ param: { delegated } }) => delegated),
    description: descriptionFor(asString(json['description']), typeName),
  };
  return withDigest(param, type === 'token' ? tokenMeaning(compiled, definitions) : []);
}

function cannotIndex(
  expression: string,
  type: string,
  dataTypes: ReadonlySet<string>,
  instead: readonly string[],
): string {
  const [given, taken] = [[...dataTypes], instead].map(names => names.map(name => `\`${name}\``).join(', '));
  return `\`${expression}\` gives ${given}, which a parameter of type ${type} cannot index; it can index ${taken}.`;
}

/**
 * R4's parameters for full-text search, which have no expression: the expressions of the texts that they search in a
 * type. https://hl7.org/fhir/R4/search.html#content
 */
const fullTexts: Readonly<Partial<Record<string, (typeName: string) => string>>> = {
  'http://hl7.org/fhir/SearchParameter/DomainResource-text': typeName => `${typeName}.text`,
  'http://hl7.org/fhir/SearchParameter/Resource-content': typeName => typeName,
};

/** True for a SearchParameter that has index entries: by an expression, or of the texts of R4. */
export const hasEntries = ({ url, expression }: JsonObject): boolean =>
  expression !== undefined || fullTexts[asString(url) ?? ''] !== undefined;

/** The algorithm of phonetic codes, with a number that is raised if it makes other codes (indexing/phonetic.ts). */
const phoneticAlgorithm = 'Double Metaphone 1';

/** https://hl7.org/fhir/R4/valueset-search-xpath-usage.html */
function phonetic({ type, xpathUsage }: JsonObject): 'phonetic' | undefined {
  return type === 'string' && xpathUsage === 'phonetic' ? 'phonetic' : undefined;
}

/** Data types whose values have at most one entry each. */
const oneEntry = new Set([
  'date',
  'dateTime',
  'instant',
  'Period',
  'Timing',
  'boolean',
  'code',
  'Coding',
  'Identifier',
  'ContactPoint',
  'id',
  'string',
  'markdown',
  'uri',
  'url',
  'canonical',
  'oid',
  'uuid',
  'Reference',
  'integer',
  'decimal',
  'positiveInt',
  'unsignedInt',
  'Quantity',
  'Age',
  'Duration',
  'Count',
  'Distance',
  'Money',
  'Range',
]);

/**
 * Whether a parameter may have values without entries, which are not missing (indexing/entry.ts): those of complex
 * types may, and `:missing` of words and of the parameters behind modifiers is another test.
 */
export function mayBeUnsearchable({
  type,
  dataTypes,
  reads,
}: Pick<SearchParam, 'type' | 'dataTypes' | 'reads'>): boolean {
  if (type === 'composite' || (reads !== undefined && reads !== 'phonetic')) return false;
  return dataTypes.size === 0 || [...dataTypes].some(name => /^[A-Z]/.test(name));
}

/**
 * The changes of entries since `indexVersion` was last raised, so that only these parameters are rebuilt: times are
 * stored to the microsecond, and a `date` beside other types is read in the zone of the partition; the fragment of a
 * canonical counts as present; the URL of a definition is stored with its version. With the second revision, quantities
 * are also stored in base units; with the third, canonicals with a version also without it; with the fourth, references
 * by canonical without a version are distinguished from those with one; with the fifth, open ends of quantities are not
 * included, SampledData is a quantity, and family names are found from each of their first words on; with the sixth,
 * values without entries, which only complex types have, are not missing, rates are exact and a mole is no number.
 */
function revisionOf({ type, dataTypes, expression, reads }: Omit<SearchParam, 'digest'>): readonly string[] {
  if (type === 'quantity' || mayBeUnsearchable({ type, dataTypes, reads })) return ['revision 6'];
  if (type === 'string' && reads === undefined && (dataTypes.has('HumanName') || /\bfamily\b/.test(expression)))
    return ['revision 5'];
  if (type === 'uri' && (dataTypes.size === 0 || dataTypes.has('canonical'))) return ['revision 3'];
  const isOnly = (name: string): boolean => dataTypes.size === 1 && dataTypes.has(name);
  if (type === 'reference' && !isOnly('Reference')) return ['revision 4'];
  const isChanged = (type === 'date' && !isOnly('date')) || type === 'uri';
  return isChanged ? ['revision 1'] : [];
}

/** `meaning`: the parts of other definitions that determine its entries. */
function withDigest(param: Omit<SearchParam, 'digest'>, meaning: readonly string[]): SearchParam {
  const { type, expression, targets, components, delegated, reads } = param;
  const parts = components.map(component => [component.expression, component.param.digest]);
  const by = delegated ? ['fhirpath.js'] : [];
  const own = reads === undefined ? [] : reads === 'phonetic' ? [phoneticAlgorithm] : [reads];
  const why = [...meaning, ...revisionOf(param), ...by, ...own];
  const decides = JSON.stringify([indexVersion, type, expression, targets, parts, why]);
  return Object.freeze({ ...param, digest: hash('sha256', decides).slice(0, 32) });
}

function tryCompile(
  expression: string,
  type: string | ResultType,
  types: TypeDefinitions,
  report: (text: string) => void,
): CompiledExpression | undefined {
  try {
    return compileExpression(expression, type, types);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    report(`\`${expression}\` does not compile for ${typeof type === 'string' ? type : type.path}: ${error.message}`);
    return undefined;
  }
}

/** The components of a composite, typed by the results of their expressions on the composite's own results. */
function compileComponents(
  here: DefinitionNode,
  owners: readonly ResultType[],
  typeName: string,
  definitions: Definitions,
  types: TypeDefinitions,
  report: ReportAt,
): SearchParam['components'] | undefined {
  const given = objectsOf(here.json['component']).map((component): Component => {
    const canonical = asString(component['definition']) ?? '';
    const json = definitions.find('SearchParameter', canonical)?.resource();
    return { canonical, json, expression: asString(component['expression']) };
  });
  const typesOf = (expression: string): ReadonlySet<string> =>
    new Set(owners.flatMap(owner => [...(tryCompile(expression, owner, types, () => {})?.types ?? [])]));
  const components = inOrder(given, typesOf).map(({ canonical, json, expression }, index) => {
    const at = `component[${index}]`;
    if (json === undefined) report(here, `${at}.definition`, `No SearchParameter \`${canonical}\` is loaded.`);
    if (expression === undefined) report(here, `${at}.expression`, 'The component needs an `expression`.');
    if (json === undefined || expression === undefined || !isParameterType(json['type'])) return undefined;
    const compiled = owners.map(owner =>
      tryCompile(expression, owner, types, text => report(here, `${at}.expression`, text)),
    );
    const results = compiled.flatMap(result => result?.results ?? []);
    const dataTypes = new Set(compiled.flatMap(result => [...(result?.types ?? [])]));
    const instead = takesInstead(json['type'], dataTypes);
    if (instead !== undefined) {
      report(here, `${at}.expression`, cannotIndex(expression, json['type'], dataTypes, instead));
      return undefined;
    }
    const meaning =
      json['type'] === 'token'
        ? compiled.flatMap(one => (one === undefined ? [] : tokenMeaning(one, definitions)))
        : [];
    const part = {
      code: String(json['code']),
      type: json['type'],
      url: canonical,
      resourceType: typeName,
      expression,
      targets: targetsOf(json, expression, results),
      dataTypes,
      single: false,
      components: [],
      modifiers: new Set<string>(),
      modified: new Map<string, SearchParam>(),
      reads: undefined,
      delegated: compiled.some(one => one?.fallback === true),
      description: undefined,
    };
    return { param: withDigest(part, meaning), expression };
  });
  if (components.length < 2) report(here, 'component', 'A composite parameter needs two components or more.');
  const good = components.filter(component => component !== undefined);
  return good.length === components.length && good.length > 1 ? good : undefined;
}

/**
 * The target types of a reference, none for any: those to which every part of the expression resolves; else `target`,
 * within what the elements allow.
 */
function targetsOf(json: JsonObject, expression: string, results: readonly ResultType[]): readonly string[] {
  const resolved = splitUnion(expression).map(part => /\.where\(\s*resolve\(\) is (\w+)\s*\)\)*$/.exec(part)?.[1]);
  if (resolved.every(name => name !== undefined)) return [...new Set(resolved)];
  const named = stringsOf(json['target']);
  const stated = named.includes('Resource') ? [] : named;
  const elements = results.flatMap(({ element }) => element?.types.filter(({ code }) => refers.has(code)) ?? []);
  if (elements.length === 0 || elements.some(({ targets }) => targets.length === 0)) return stated;
  const allowed = new Set(elements.flatMap(({ targets }) => targets));
  if (stated.length === 0) return [...allowed];
  const both = stated.filter(name => allowed.has(name));
  return both.length === 0 ? stated : both;
}

const refers = new Set(['Reference', 'canonical']);

/** R4 describes a parameter of several types in a list: `* [Patient](patient.html): …`; the line of this type. */
function descriptionFor(description: string | undefined, typeName: string): string | undefined {
  if (description === undefined || !description.startsWith('Multiple Resources')) return description;
  return new RegExp(`^\\* \\[${typeName}\\]\\([^)]*\\): (.*)$`, 'm').exec(description)?.[1]?.trim() ?? undefined;
}

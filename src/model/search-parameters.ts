import { hash } from 'node:crypto';
import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asString, objectsOf, stringsOf } from '../definitions/json-object.ts';
import type { JsonObject } from '../definitions/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { branchFor, splitUnion } from './branch.ts';
import type { ReportAt, Standing } from './declared.ts';
import type { TypeDefinitions } from './element.ts';
import { compileExpression } from './expression.ts';
import type { CompiledExpression, ResultType } from './expression.ts';
import type { SearchParam, SearchParamType } from './model.ts';

/** Raised whenever entries of an unchanged parameter come out otherwise: every index is then built again. */
export const indexVersion = 1;

/** Compiles the search parameters of types, each once. */
export interface ParameterCompiler {
  /** By canonical; what does not resolve or compile is reported, at `standing` where the fault is in who names it. */
  byCanonical(canonical: string, typeName: string, standing: Standing, path: string): SearchParam | undefined;
  /** By code, among all that are loaded; undefined where the type has none, reported where it has several. */
  byCode(code: string, typeName: string, standing: Standing, path: string): SearchParam | undefined;
  /** The codes that a type could offer. */
  codes(typeName: string): readonly string[];
}

/** https://hl7.org/fhir/R4/searchparameter.html */
export function createParameterCompiler(
  definitions: Definitions,
  types: TypeDefinitions,
  report: ReportAt,
): ParameterCompiler {
  const compiled = new Map<string, SearchParam | undefined>();
  let index: ReadonlyMap<string, readonly Definition[]> | undefined;
  const candidates = (code: string, typeName: string): readonly Definition[] => {
    index ??= indexByCode(definitions);
    return [typeName, ...supertypes(typeName, types)].flatMap(base => index?.get(`${base}.${code}`) ?? []);
  };
  const compile = (definition: Definition, typeName: string): SearchParam | undefined => {
    const key = `${typeName} ${definition.url}|${definition.version ?? ''}`;
    if (!compiled.has(key)) compiled.set(key, compileParameter(definition, typeName, definitions, types, report));
    return compiled.get(key);
  };
  return {
    byCanonical(canonical, typeName, standing, path) {
      const definition = definitions.find('SearchParameter', canonical);
      if (definition === undefined) {
        const urls = definitions.all('SearchParameter').map(({ url }) => url);
        report(standing, path, `No SearchParameter \`${canonical}\` is loaded.${nearestUrl(canonical, urls)}`);
        return undefined;
      }
      const bases = stringsOf(definition.resource()['base']);
      if (![typeName, ...supertypes(typeName, types)].some(name => bases.includes(name))) {
        report(standing, path, `\`${canonical}\` is a parameter of ${bases.join(', ')}, not of ${typeName}.`);
        return undefined;
      }
      return compile(definition, typeName);
    },
    byCode(code, typeName, standing, path) {
      const [first, ...others] = candidates(code, typeName);
      if (first === undefined) return undefined;
      if (others.length > 0) {
        const urls = [first, ...others].map(({ url, file }) => `\`${url}\` (${file})`).join(' and ');
        report(
          standing,
          path,
          `${typeName} has several parameters with the code \`${code}\`: ${urls}. Name the one that is meant in a \`definition\`.`,
        );
        return undefined;
      }
      return compile(first, typeName);
    },
    codes(typeName) {
      index ??= indexByCode(definitions);
      const bases = [typeName, ...supertypes(typeName, types)].map(base => `${base}.`);
      return [...index.keys()].flatMap(key =>
        bases.filter(base => key.startsWith(base)).map(base => key.slice(base.length)),
      );
    },
  };
}

/** Names of the types that a type specializes, nearest first. */
export function supertypes(typeName: string, types: TypeDefinitions): readonly string[] {
  const base = types.get(typeName)?.base;
  return base === undefined ? [] : [base, ...supertypes(base, types)];
}

const parameterTypes: ReadonlySet<string> = new Set<SearchParamType>([
  'number',
  'date',
  'string',
  'token',
  'reference',
  'composite',
  'quantity',
  'uri',
  'special',
]);

const isParameterType = (type: unknown): type is SearchParamType =>
  typeof type === 'string' && parameterTypes.has(type);

/** Data types of which one value makes at most one entry. */
const oneEntry = new Set([
  'date',
  'dateTime',
  'instant',
  'Period',
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

function compileParameter(
  definition: Definition,
  typeName: string,
  definitions: Definitions,
  types: TypeDefinitions,
  report: ReportAt,
): SearchParam | undefined {
  const json = definition.resource();
  const here: Standing = { definition, path: '', json };
  const type = json['type'];
  const code = asString(json['code']);
  if (!isParameterType(type)) {
    report(
      here,
      'type',
      `\`${String(type)}\` is no type of search parameter.${didYouMean(String(type), parameterTypes)}`,
    );
    return undefined;
  }
  if (code === undefined) {
    report(here, 'code', 'The parameter needs a `code`; clients write it.');
    return undefined;
  }
  const whole = asString(json['expression']);
  if (whole === undefined) {
    report(here, 'expression', `The parameter \`${code}\` has no FHIRPath \`expression\`, so it cannot be indexed.`);
    return undefined;
  }
  const expression = branchFor(whole, { name: typeName, supertypes: supertypes(typeName, types) }, types.resourceTypes);
  if (expression === undefined) {
    report(here, 'expression', `No part of \`${whole}\` applies to ${typeName}, which is a \`base\` of the parameter.`);
    return undefined;
  }
  const compiled = tryCompile(expression, typeName, types, text => report(here, 'expression', text));
  if (compiled === undefined) return undefined;
  const components =
    type === 'composite' ? compileComponents(here, compiled.results, typeName, definitions, types, report) : [];
  if (components === undefined) return undefined;
  const targets = targetsOf(json, expression, compiled.results);
  return withDigest({
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
      [...compiled.types].every(name => oneEntry.has(name)),
    components,
    description: descriptionFor(asString(json['description']), typeName),
  });
}

function withDigest(param: Omit<SearchParam, 'digest'>): SearchParam {
  const { type, expression, targets, components } = param;
  const parts = components.map(component => [component.expression, component.param.type, component.param.targets]);
  const decides = JSON.stringify([indexVersion, type, expression, targets, parts]);
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

/** The components of a composite; their types are what their expressions yield on what the composite's own yields. */
function compileComponents(
  here: Standing,
  owners: readonly ResultType[],
  typeName: string,
  definitions: Definitions,
  types: TypeDefinitions,
  report: ReportAt,
): SearchParam['components'] | undefined {
  const components = objectsOf(here.json['component']).map((component, index) => {
    const at = `component[${index}]`;
    const canonical = asString(component['definition']) ?? '';
    const json = definitions.find('SearchParameter', canonical)?.resource();
    const expression = asString(component['expression']);
    if (json === undefined) report(here, `${at}.definition`, `No SearchParameter \`${canonical}\` is loaded.`);
    if (expression === undefined) report(here, `${at}.expression`, 'The component needs an `expression`.');
    if (json === undefined || expression === undefined || !isParameterType(json['type'])) return undefined;
    const compiled = owners.map(owner =>
      tryCompile(expression, owner, types, text => report(here, `${at}.expression`, text)),
    );
    const results = compiled.flatMap(result => result?.results ?? []);
    const param = withDigest({
      code: String(json['code']),
      type: json['type'],
      url: canonical,
      resourceType: typeName,
      expression,
      targets: targetsOf(json, expression, results),
      dataTypes: new Set(compiled.flatMap(result => [...(result?.types ?? [])])),
      single: false,
      components: [],
      description: undefined,
    });
    return { param, expression };
  });
  if (components.length < 2) report(here, 'component', 'A composite parameter needs two components or more.');
  const good = components.filter(component => component !== undefined);
  return good.length === components.length && good.length > 1 ? good : undefined;
}

/**
 * Resource types that a reference may name, none for any: what every part of the expression resolves to; else `target`, as far
 * as the elements allow it.
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

/** R4 describes a parameter of several types in a list: `* [Patient](patient.html): …`; the type's own line of it. */
function descriptionFor(description: string | undefined, typeName: string): string | undefined {
  if (description === undefined || !description.startsWith('Multiple Resources')) return description;
  return new RegExp(`^\\* \\[${typeName}\\]\\([^)]*\\): (.*)$`, 'm').exec(description)?.[1]?.trim() ?? undefined;
}

/** SearchParameters by `Type.code`; of one url only the version that stands for it. */
function indexByCode(definitions: Definitions): ReadonlyMap<string, readonly Definition[]> {
  const index = new Map<string, Definition[]>();
  for (const definition of definitions.all('SearchParameter')) {
    if (definitions.find('SearchParameter', definition.url) !== definition) continue;
    const { base, code } = definition.resource();
    for (const name of stringsOf(base)) {
      const key = `${name}.${String(code)}`;
      index.set(key, [...(index.get(key) ?? []), definition]);
    }
  }
  return index;
}

/** A url that differs little, told by its last part. */
function nearestUrl(canonical: string, urls: readonly string[]): string {
  const last = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
  const suggestion = didYouMean(last(canonical.replace(/\|.*/, '')), urls.map(last));
  return suggestion;
}

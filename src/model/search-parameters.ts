import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { ReportAt, DefinitionNode } from './definition-nodes.ts';
import type { TypeDefinitions } from './element.ts';
import type { SearchParam } from './model.ts';
import { compileParameter } from './search-parameter.ts';
import { supertypes } from './type-definitions.ts';

/** Compiles the search parameters of types, each once. */
export interface ParameterCompiler {
  /**
   * Finds by canonical; a parameter that does not resolve or compile is reported, at `node` if the reference is wrong.
   */
  byCanonical(canonical: string, typeName: string, node: DefinitionNode, path: string): SearchParam | undefined;
  /** Finds by code among all loaded ones; undefined if the type has none, reported if it has several. */
  byCode(code: string, typeName: string, node: DefinitionNode, path: string): SearchParam | undefined;
  /** Finds by code, for the server's own use: that of R4 if it has one, whatever packages add. */
  officialByCode(code: string, typeName: string, node: DefinitionNode, path: string): SearchParam | undefined;
  /** The codes that a type could have. */
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
  const only = (found: readonly Definition[], code: string, typeName: string, node: DefinitionNode, path: string) => {
    const [first, ...others] = found;
    if (first === undefined) return undefined;
    if (others.length === 0) return compile(first, typeName);
    const urls = found.map(({ url, file }) => `\`${url}\` (${file})`).join(' and ');
    const text = `${typeName} has several parameters with the code \`${code}\`: ${urls}.`;
    report(node, path, `${text} Name the one that is meant in a \`definition\`.`);
    return undefined;
  };
  return {
    byCanonical(canonical, typeName, node, path) {
      const definition = definitions.find('SearchParameter', canonical);
      if (definition === undefined) {
        const urls = definitions.all('SearchParameter').map(({ url }) => url);
        report(node, path, `No SearchParameter \`${canonical}\` is loaded.${nearestUrl(canonical, urls)}`);
        return undefined;
      }
      const bases = stringsOf(definition.resource()['base']);
      if (![typeName, ...supertypes(typeName, types)].some(name => bases.includes(name))) {
        // A missing or misspelt base is reported in the parameter's own file.
        const isElsewhere = !bases.some(name => types.get(name) !== undefined);
        if (!isElsewhere || definition.package !== undefined)
          report(
            node,
            path,
            `\`${canonical}\` is a parameter of ${bases.join(', ') || 'no type'}, not of ${typeName}.`,
          );
        return undefined;
      }
      return compile(definition, typeName);
    },
    byCode: (code, typeName, node, path) => only(candidates(code, typeName), code, typeName, node, path),
    officialByCode(code, typeName, node, path) {
      const found = candidates(code, typeName);
      const official = found.filter(({ url }) => url.startsWith('http://hl7.org/fhir/SearchParameter/'));
      return only(official.length === 1 ? official : found, code, typeName, node, path);
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

/** SearchParameters by `Type.code`; of each url the selected version only. */
function indexByCode(definitions: Definitions): ReadonlyMap<string, readonly Definition[]> {
  const index = new Map<string, Definition[]>();
  for (const definition of definitions.all('SearchParameter')) {
    if (definitions.find('SearchParameter', definition.url) !== definition) continue;
    const { code, bases } = definition.parameter ?? headOf(definition.resource());
    for (const name of bases) {
      const key = `${name}.${code}`;
      index.set(key, [...(index.get(key) ?? []), definition]);
    }
  }
  return index;
}

const headOf = ({ base, code }: JsonObject): { readonly code: string; readonly bases: readonly string[] } => ({
  code: String(code),
  bases: stringsOf(base),
});

/** A url with a similar last part. */
function nearestUrl(canonical: string, urls: readonly string[]): string {
  const last = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
  const suggestion = didYouMean(last(canonical.replace(/\|.*/, '')), urls.map(last));
  return suggestion;
}

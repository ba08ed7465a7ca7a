import { asString, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Context } from './context.ts';
import { extensions, items } from './definition-nodes.ts';
import type { DefinitionNode, ReportAt } from './definition-nodes.ts';
import { partsOf, textOf } from './extensions.ts';
import type { NamedQuery, QueryParameter } from './model.ts';
import { supertypes } from './type-definitions.ts';
import { controls } from './offered.ts';

/** True if an OperationDefinition defines a named query. https://hl7.org/fhir/R4/valueset-operation-kind.html */
export const isQuery = (definition: JsonObject): boolean => definition['kind'] === 'query';

/**
 * The declared named queries of a type, by code: the operations whose OperationDefinition is of kind `query`. Reports
 * mistakes in the OperationDefinition; search/check-queries.ts checks the criteria as searches.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.operation
 */
export function compileQueries(
  typeName: string,
  nodes: readonly DefinitionNode[],
  isSearched: boolean,
  { definitions, types, report }: Context,
): ReadonlyMap<string, NamedQuery> {
  const found = new Map<string, NamedQuery>();
  for (const node of items(nodes, 'operation')) {
    const canonical = asString(node.json['definition']) ?? '';
    const definition = definitions.find('OperationDefinition', canonical);
    const json = definition?.resource();
    if (definition === undefined || json === undefined || !isQuery(json)) continue;
    const here = { definition, path: '', json };
    const code = asString(json['code']) ?? '';
    if (node.json['name'] !== code)
      report(node, 'name', `The query is called \`${code}\` by its definition, not \`${String(node.json['name'])}\`.`);
    if (!isSearched)
      report(node, '', `A named query needs the interaction \`search-type\` of ${typeName}; declare it, or remove it.`);
    const on = stringsOf(json['resource']);
    if (![typeName, ...supertypes(typeName, types)].some(type => on.includes(type)))
      report(node, 'definition', `\`${canonical}\` is a query of ${on.join(', ')}, not of ${typeName}.`);
    const there = found.get(code);
    if (there !== undefined && there.url !== canonical)
      report(
        node,
        'definition',
        `The query \`${code}\` is ${canonical} here and ${there.url} elsewhere; they must agree.`,
      );
    if (json['type'] !== true) report(here, 'type', 'A named query is a search of a type; write `"type": true`.');
    const query = compileQuery(typeName, { code, url: canonical }, here, report);
    if (query !== undefined) found.set(code, Object.freeze(query));
  }
  return found;
}

function compileQuery(
  typeName: string,
  { code, url }: Pick<NamedQuery, 'code' | 'url'>,
  here: DefinitionNode,
  report: ReportAt,
): NamedQuery | undefined {
  const all = extensions([here], 'query-criteria');
  const typeOf = ({ json }: DefinitionNode): string | undefined => textOf(partsOf(json, 'type')[0]?.json);
  const node = all.find(one => typeOf(one) === typeName) ?? all.find(one => typeOf(one) === undefined);
  if (node === undefined) {
    report(here, '', `The query \`${code}\` has no \`query-criteria\` for ${typeName}.`);
    return undefined;
  }
  const parameters = parametersOf(here, report);
  const text = textOf(partsOf(node.json, 'criteria')[0]?.json) ?? '';
  const criteria = [...new URLSearchParams(text)];
  checkCriteria(criteria, parameters, (path, problem) => report(node, path, problem));
  const unused = [...parameters.keys()].find(name => !text.includes(`{${name}}`));
  // Each type has criteria of its own, so that a parameter may have no use in some of them.
  if (unused !== undefined && all.length === 1)
    report(here, 'parameter', `No criterion has the parameter \`{${unused}}\`.`);
  return { code, url, parameters, criteria, source: { file: node.definition.file, path: node.path } };
}

/** https://hl7.org/fhir/R4/operationdefinition-definitions.html#OperationDefinition.parameter.searchType */
function parametersOf(here: DefinitionNode, report: ReportAt): ReadonlyMap<string, QueryParameter> {
  const found = new Map<string, QueryParameter>();
  for (const node of items([here], 'parameter')) {
    const { json } = node;
    const name = asString(json['name']) ?? '';
    const type = searchTypes.find(one => one === json['searchType']);
    if (json['use'] !== 'in') report(node, 'use', 'A parameter of a named query is of use `in`.');
    if (!/^[A-Za-z][\w-]*$/.test(name))
      report(node, 'name', `\`${name}\` is no name of a parameter; write letters, digits and \`-\`.`);
    if (found.has(name)) report(node, 'name', `The query has the parameter \`${name}\` more than once.`);
    if (type === undefined) {
      const offer = searchTypes.map(one => `\`${one}\``).join(', ');
      report(node, 'searchType', `A parameter of a named query has one of the search types ${offer}.`);
      continue;
    }
    found.set(name, { name, required: json['min'] !== 0, repeats: json['max'] !== '1', type });
  }
  return found;
}

const searchTypes = ['number', 'date', 'string', 'token', 'reference', 'quantity', 'uri'] as const;

/** Parameters that select no records, and those that name a query themselves. */
const excluded = new Set([
  '_query',
  '_list',
  '_type',
  '_contained',
  '_containedType',
  ...controls,
  '_score',
  '_explain',
]);

/** The names in braces of a value. */
export const placeholdersIn = (value: string): readonly string[] =>
  [...value.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);

function checkCriteria(
  criteria: NamedQuery['criteria'],
  parameters: ReadonlyMap<string, QueryParameter>,
  report: (path: string, text: string) => void,
): void {
  for (const [name, value] of criteria) {
    const [code = ''] = name.split(':');
    if (excluded.has(code)) report('', `\`${name}\` cannot be a criterion of a named query.`);
    if (code === '_filter' && placeholdersIn(value).length > 0)
      report('', 'A `_filter` cannot have a placeholder: write a criterion instead.');
    if (placeholdersIn(name).length > 0) report('', `\`${name}\`: a placeholder is a value, not a name.`);
    for (const placeholder of placeholdersIn(value)) {
      const parameter = parameters.get(placeholder);
      if (parameter === undefined) {
        const hint = didYouMean(placeholder, parameters.keys());
        report('', `The query has no parameter \`${placeholder}\` of the criterion \`${name}=${value}\`.${hint}`);
      } else if (parameter.repeats && value !== `{${placeholder}}`) {
        const text = `The parameter \`${placeholder}\` may have several values, so that it is the whole value of`;
        report('', `${text} \`${name}\`; write \`${name}={${placeholder}}\`, or \`"max": "1"\`.`);
      }
    }
  }
}

/** The named queries of a type that are lists of `_list`: those without parameters. */
export const listsOf = (queries: ReadonlyMap<string, NamedQuery>): readonly NamedQuery[] =>
  [...queries.values()].filter(({ parameters }) => parameters.size === 0);

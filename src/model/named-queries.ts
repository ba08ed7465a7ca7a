import { asString, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { CompileContext } from './context.ts';
import { extensions, items } from './definition-nodes.ts';
import type { DefinitionNode, ReportAt } from './definition-nodes.ts';
import { extensionsOf, partsOf, textOf } from './extensions.ts';
import type { NamedQuery, QueryCase, QueryParameter } from './model.ts';
import { quotedCodes } from './interactions.ts';
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
  { definitions, types, report }: CompileContext,
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
    const query = compileCriteria(typeName, { code, url: canonical, label: `query \`${code}\`` }, here, report);
    if (query !== undefined) found.set(code, query);
  }
  return found;
}

/** True if an OperationDefinition has criteria, so that it is a search and needs no implementation. */
export const hasCriteria = (definition: JsonObject): boolean => extensionsOf(definition, 'query-criteria').length > 0;

/**
 * The search that an OperationDefinition (`here`) is for a type: a named query, or an operation. Undefined, and
 * reported, if it has no criteria for the type. Reports mistakes in the criteria and their parameters.
 */
export function compileCriteria(
  typeName: string,
  named: Pick<NamedQuery, 'code' | 'url' | 'label'>,
  here: DefinitionNode,
  report: ReportAt,
): NamedQuery | undefined {
  const all = extensions([here], 'query-criteria');
  const typeOf = ({ json }: DefinitionNode): string | undefined => textOf(partsOf(json, 'type')[0]?.json);
  const own = all.filter(one => typeOf(one) === typeName);
  const nodes = own.length > 0 ? own : all.filter(one => typeOf(one) === undefined);
  if (nodes.length === 0) {
    report(here, '', `The ${named.label} has no \`query-criteria\` for ${typeName}.`);
    return undefined;
  }
  const parameters = parametersOf(here, named.label, report);
  const cases = nodes.map(node => compileCase(node, named.label, parameters, report));
  // A query may be a criterion of a conditional write or of a scope, which has no order.
  if (isQuery(here.json) && cases.some(({ latest }) => latest !== undefined))
    report(here, '', 'A named query selects records, whatever their order: `latest` is for operations.');
  for (const [at, node] of nodes.entries()) {
    const isLast = at === nodes.length - 1;
    if (isLast === (cases[at]?.when.length === 0)) continue;
    const text = isLast
      ? 'The last criteria apply to all other calls: remove `when`, or add criteria without it.'
      : 'These criteria have no `when`, so that those after them never apply: write them last.';
    report(node, '', text);
  }
  const texts = all.flatMap(({ json }) => ['criteria', 'when'].map(part => partText(json, part)));
  const isUsed = (name: string): boolean =>
    texts.some(text => text.includes(`{${name}}`)) || cases.some(({ when }) => when.some(([one]) => one === name));
  const unused = [...parameters.keys()].find(name => !isUsed(name));
  // Each type has criteria of its own, so that a parameter may have no use in some of them.
  if (unused !== undefined && new Set(all.map(typeOf)).size === 1)
    report(here, 'parameter', `No criterion has the parameter \`{${unused}}\`.`);
  return Object.freeze({ ...named, parameters, cases });
}

const partText = (json: JsonObject, part: string): string => textOf(partsOf(json, part)[0]?.json) ?? '';

function compileCase(
  node: DefinitionNode,
  label: string,
  parameters: ReadonlyMap<string, QueryParameter>,
  report: ReportAt,
): QueryCase {
  const [latest, none] = ['latest', 'none'].map(part => textOf(partsOf(node.json, part)[0]?.json));
  const criteria = [...new URLSearchParams(partText(node.json, 'criteria'))];
  if (criteria.length > 0 === (none !== undefined))
    report(node, '', 'Give either `criteria`, or `none` with the reason why no record is found.');
  else if (latest !== undefined && none !== undefined) report(node, '', '`latest` needs `criteria`.');
  checkCriteria(criteria, { label, parameters }, (path, problem) => report(node, path, problem));
  const when = [...new URLSearchParams(partText(node.json, 'when'))].map(([whole, value]) => {
    const [name = '', ...modifier] = whole.split(':');
    if (!parameters.has(name))
      report(node, '', `The ${label} has no parameter \`${name}\` of \`when\`.${didYouMean(name, parameters.keys())}`);
    if (modifier.length > 0 && (modifier.join(':') !== 'missing' || value !== 'true'))
      report(node, '', `\`${whole}=${value}\`: write \`${name}:missing=true\`, or \`${name}=\` and a value.`);
    return [name, modifier.length > 0 ? undefined : value] as const;
  });
  const source = { file: node.definition.file, path: node.path };
  return Object.freeze({ when, criteria, latest, none, source });
}

/**
 * A parameter of the type `string` is as its `searchType` says; those of other types have one.
 * https://hl7.org/fhir/R4/operationdefinition-definitions.html#OperationDefinition.parameter.searchType
 */
function parametersOf(here: DefinitionNode, label: string, report: ReportAt): ReadonlyMap<string, QueryParameter> {
  const found = new Map<string, QueryParameter>();
  const ofQuery = isQuery(here.json);
  for (const node of items([here], 'parameter')) {
    const { json } = node;
    const name = asString(json['name']) ?? '';
    const dataType = asString(json['type']) ?? '';
    if (!ofQuery && json['use'] === 'out') continue;
    const given = searchTypes.find(one => one === json['searchType']);
    const type = given ?? (ofQuery ? undefined : searchTypeOf.get(dataType));
    if (json['use'] !== 'in') report(node, 'use', 'A parameter of a named query is of use `in`.');
    if (!/^[A-Za-z][\w-]*$/.test(name))
      report(node, 'name', `\`${name}\` is no name of a parameter; write letters, digits and \`-\`.`);
    if (found.has(name)) report(node, 'name', `The ${label} has the parameter \`${name}\` more than once.`);
    if (type === undefined && ofQuery) {
      report(
        node,
        'searchType',
        `A parameter of a named query has one of the search types ${quotedCodes(searchTypes)}.`,
      );
    } else if (type === undefined) {
      const offer = quotedCodes([...searchTypeOf.keys()]);
      report(node, 'type', `A parameter of an operation with \`query-criteria\` has one of the types ${offer}.`);
    } else found.set(name, { name, required: json['min'] !== 0, repeats: json['max'] !== '1', type, dataType });
  }
  return found;
}

const searchTypes = ['number', 'date', 'string', 'token', 'reference', 'quantity', 'uri'] as const;

/** The search type of a parameter of an operation, by its data type. https://hl7.org/fhir/R4/search.html#table */
const searchTypeOf: ReadonlyMap<string, QueryParameter['type']> = new Map(
  Object.entries({
    string: 'string',
    id: 'token',
    code: 'token',
    boolean: 'token',
    Coding: 'token',
    Identifier: 'token',
    Reference: 'reference',
    date: 'date',
    dateTime: 'date',
    instant: 'date',
    integer: 'number',
    decimal: 'number',
    uri: 'uri',
    url: 'uri',
    canonical: 'uri',
  } as const),
);

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
  criteria: QueryCase['criteria'],
  { label, parameters }: Pick<NamedQuery, 'label' | 'parameters'>,
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
        report('', `The ${label} has no parameter \`${placeholder}\` of the criterion \`${name}=${value}\`.${hint}`);
      } else if (parameter.repeats && value !== `{${placeholder}}`) {
        const text = `The parameter \`${placeholder}\` may have several values, so that it is the whole value of`;
        report('', `${text} \`${name}\`; write \`${name}={${placeholder}}\`, or \`"max": "1"\`.`);
      }
    }
  }
}

/** The named queries of a type that are lists of `_list`: those without parameters. */
export const listsOf = (queries: ReadonlyMap<string, NamedQuery>): readonly NamedQuery[] =>
  [...queries.values()].filter(({ parameters, cases: [only] }) => parameters.size === 0 && only?.none === undefined);

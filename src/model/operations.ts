import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { primitives } from '../fhir/primitive.ts';
import type { CompileContext } from './context.ts';
import { items } from './definition-nodes.ts';
import type { DefinitionNode, ReportAt } from './definition-nodes.ts';
import type { ImplementedOperation } from './implemented-operation.ts';
import type { Operation, OperationCall, OperationLevel, OperationParameter, SearchParam } from './model.ts';
import { quotedCodes } from './interactions.ts';
import { compileCriteria, hasCriteria, isQuery } from './named-queries.ts';
import { supertypes } from './type-definitions.ts';

const levels: readonly OperationLevel[] = ['system', 'type', 'instance'];

/**
 * The operations that `nodes` declare, by code, without named queries (named-queries.ts): of a type or its instances,
 * or of the whole system if `typeName` is undefined. Each names an OperationDefinition that is implemented.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.operation
 */
export function compileOperations(
  typeName: string | undefined,
  nodes: readonly DefinitionNode[],
  context: Pick<CompileContext, 'definitions' | 'types' | 'report' | 'operations'>,
): ReadonlyMap<string, Operation> {
  const { definitions, report } = context;
  const found = new Map<string, Operation>();
  for (const node of items(nodes, 'operation')) {
    const canonical = asString(node.json['definition']) ?? '';
    const definition = servedAs(definitions.find('OperationDefinition', canonical), definitions);
    const json = definition?.resource();
    if (definition === undefined || json === undefined) {
      const urls = definitions.all('OperationDefinition').map(({ url }) => url);
      const hint = didYouMean(canonical.replace(/\|.*/s, ''), urls);
      const text = `No OperationDefinition \`${canonical}\` is loaded.${hint}`;
      report(node, 'definition', text);
      continue;
    }
    if (isQuery(json)) {
      const text = 'A named query is a search of a type; declare it on the type, or remove it.';
      if (typeName === undefined) report(node, 'definition', text);
      continue;
    }
    const operation = compileOperation(typeName, node, { here: { definition, path: '', json }, canonical }, context);
    if (operation === undefined) continue;
    const there = found.get(operation.code);
    if (there !== undefined && there.url !== canonical)
      report(
        node,
        'definition',
        `The operation \`${operation.code}\` is ${canonical} here and ${there.url} elsewhere; they must agree.`,
      );
    else found.set(operation.code, operation);
  }
  return found;
}

/**
 * The definition by which one of R4 is served: a loaded one of the same code that is derived from it, which has its
 * parameters and more, else itself. Clients know an operation by the definition of R4.
 * https://hl7.org/fhir/R4/operationdefinition-definitions.html#OperationDefinition.base
 */
function servedAs(definition: Definition | undefined, definitions: Definitions): Definition | undefined {
  if (definition?.core !== true) return definition;
  const { code } = definition.resource();
  const derived = definitions.all('OperationDefinition').find(one => {
    if (one.core) return false;
    const own = one.resource();
    return own['base'] === definition.url && own['code'] === code && !hasCriteria(own);
  });
  return derived ?? definition;
}

/**
 * The operation of a definition (`here`), which code implements or its criteria; undefined, and reported, if neither
 * does.
 */
function compileOperation(
  typeName: string | undefined,
  node: DefinitionNode,
  { here, canonical }: { readonly here: DefinitionNode; readonly canonical: string },
  { types, report, operations }: Pick<CompileContext, 'types' | 'report' | 'operations'>,
): Operation | undefined {
  const { json: definition } = here;
  const code = asString(definition['code']) ?? '';
  const name = asString(node.json['name']) ?? '';
  if (name !== code && name !== `$${code}`)
    report(node, 'name', `The operation is called \`${code}\` by its definition, not \`${name}\`.`);
  const on = stringsOf(definition['resource']);
  if (typeName !== undefined && ![typeName, ...supertypes(typeName, types)].some(type => on.includes(type)))
    report(node, 'definition', `\`${canonical}\` is an operation of ${on.join(', ')}, not of ${typeName}.`);
  if (hasCriteria(definition)) return compileSearch(typeName, { node, here, code, url: canonical }, report);
  const implemented = operations.get(code);
  if (implemented === undefined) {
    const known = quotedCodes([...operations.keys()].map(one => `$${one}`));
    const are = operations.size === 1 ? 'is' : 'are';
    report(node, 'definition', `The operation \`$${code}\` is not served yet; remove it. ${known} ${are} served.`);
    return undefined;
  }
  const parameters = parametersOf(definition['parameter'], implemented);
  const served = levels.filter(level => (typeName === undefined) === (level === 'system'));
  const calls = served.flatMap(level => {
    const scopes = implemented.scopes[level];
    if (definition[level] !== true || scopes === undefined) return [];
    const isRead =
      definition['affectsState'] !== true &&
      implemented.withBody?.includes(level) !== true &&
      [...parameters.values()].every(({ min, type = '' }) => min === 0 || primitives.has(type));
    const call: OperationCall = {
      methods: isRead ? ['GET', 'POST'] : ['POST'],
      scopes,
      startsJob: implemented.startsJob === true,
    };
    return [[level, Object.freeze(call)] as const];
  });
  if (calls.length === 0) {
    const where = typeName === undefined ? 'the whole system' : 'types or their instances';
    report(node, 'definition', `\`${canonical}\` is not served as an operation of ${where}; remove it.`);
  }
  return Object.freeze({ code, url: canonical, levels: Object.fromEntries(calls), parameters });
}

/**
 * An operation of a type that is a search by the criteria of its definition, with the access of a search. Its URL may
 * have all parameters, since each has the form of a search.
 */
function compileSearch(
  typeName: string | undefined,
  { node, here, code, url }: Pick<Operation, 'code' | 'url'> & Record<'node' | 'here', DefinitionNode>,
  report: ReportAt,
): Operation | undefined {
  if (typeName === undefined) {
    report(node, 'definition', 'An operation with `query-criteria` is a search of a type; declare it on the type.');
    return undefined;
  }
  if (here.json['type'] !== true || here.json['instance'] === true || here.json['affectsState'] === true)
    report(here, 'type', 'An operation with `query-criteria` is a search of a type; write `"type": true` alone.');
  const query = compileCriteria(typeName, { code, url, label: `operation \`$${code}\`` }, here, report);
  const type = Object.freeze<OperationCall>({ methods: ['GET', 'POST'], scopes: ['s'], startsJob: false });
  return Object.freeze({ code, url, levels: { type }, parameters: parametersOf(here.json['parameter']), query });
}

/** Reports search parameters that an operation needs and that its type does not offer. */
export function checkNeededParameters(
  declared: ReadonlyMap<string, Operation>,
  nodes: readonly DefinitionNode[],
  offered: ReadonlyMap<string, SearchParam>,
  { report, operations }: Pick<CompileContext, 'report' | 'operations'>,
): void {
  for (const node of items(nodes, 'operation')) {
    const { code } = [...declared.values()].find(({ url }) => url === node.json['definition']) ?? {};
    const needed = operations.get(code ?? '')?.searchParameters ?? [];
    for (const parameter of needed.filter(one => !offered.has(one)))
      report(node, 'definition', `\`$${code}\` needs the search parameter \`${parameter}\`; declare it on the type.`);
  }
}

/** The input parameters, or the parts of one. */
function parametersOf(
  list: unknown,
  implemented?: ImplementedOperation,
  prefix = '',
): ReadonlyMap<string, OperationParameter> {
  const own = objectsOf(list).filter(({ use }) => use === 'in');
  return new Map(
    own.map(({ name: given, min, max, type, part }) => {
      const name = asString(given) ?? '';
      return [
        name,
        {
          name,
          min: Number(min ?? 0),
          max: max === '*' ? Infinity : Number(max ?? 1),
          type: asString(type),
          supported: prefix !== '' || implemented?.parameters?.includes(name) !== false,
          inUrl: implemented?.referencesInUrl === true && type === 'Reference',
          isForeign: implemented?.foreign?.includes(`${prefix}${name}`) === true,
          parts: parametersOf(part, implemented, `${prefix}${name}.`),
        },
      ];
    }),
  );
}

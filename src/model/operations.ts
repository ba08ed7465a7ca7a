import { asString, stringsOf } from '../fhir/json-object.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { items } from './definition-nodes.ts';
import type { ReportAt, DefinitionNode } from './definition-nodes.ts';
import type { TypeDefinitions } from './element.ts';
import type { Operation } from './model.ts';
import { isServedOperation, quotedCodes, servedOperations } from './served.ts';
import { isQuery } from './named-queries.ts';
import { supertypes } from './type-definitions.ts';

/**
 * The declared operations of a type, by code, without named queries (named-queries.ts). Each names an
 * OperationDefinition for the type or its instances.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.operation
 */
export function compileOperations(
  typeName: string,
  nodes: readonly DefinitionNode[],
  { definitions, types, report }: { definitions: Definitions; types: TypeDefinitions; report: ReportAt },
): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>();
  for (const node of items(nodes, 'operation')) {
    const canonical = asString(node.json['definition']) ?? '';
    const definition = definitions.find('OperationDefinition', canonical)?.resource();
    if (definition === undefined) {
      const urls = definitions.all('OperationDefinition').map(({ url }) => url);
      const hint = didYouMean(canonical.replace(/\|.*/s, ''), urls);
      const text = `No OperationDefinition \`${canonical}\` is loaded.${hint}`;
      report(node, 'definition', text);
      continue;
    }
    if (isQuery(definition)) continue;
    const code = asString(definition['code']) ?? '';
    const name = asString(node.json['name']) ?? '';
    if (name !== code && name !== `$${code}`)
      report(node, 'name', `The operation is called \`${code}\` by its definition, not \`${name}\`.`);
    const on = stringsOf(definition['resource']);
    if (![typeName, ...supertypes(typeName, types)].some(type => on.includes(type)))
      report(node, 'definition', `\`${canonical}\` is an operation of ${on.join(', ')}, not of ${typeName}.`);
    if (!isServedOperation(definition)) {
      const served = quotedCodes(servedOperations.map(one => `$${one}`));
      const text = `The operation \`$${code}\` is not served yet; remove it. ${served} is served.`;
      report(node, 'definition', text);
    }
    const operation = {
      code,
      url: canonical,
      type: definition['type'] === true,
      instance: definition['instance'] === true,
    };
    if (!operation.type && !operation.instance)
      report(node, 'definition', `\`${canonical}\` is an operation of the whole system, which is not served.`);
    const there = found.get(code);
    if (there !== undefined && there.url !== canonical)
      report(
        node,
        'definition',
        `The operation \`${code}\` is ${canonical} here and ${there.url} elsewhere; they must agree.`,
      );
    else found.set(code, Object.freeze(operation));
  }
  return found;
}

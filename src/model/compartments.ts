import type { Definitions } from '../definitions/definitions.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { CompileContext } from './context.ts';
import type { Declared, DefinitionNode, ReportAt } from './definition-nodes.ts';
import { items, texts } from './definition-nodes.ts';
import type { Compartment, SearchParam } from './model.ts';

/** The loaded compartments, by code. https://hl7.org/fhir/R4/compartmentdefinition.html */
export function compileCompartments(definitions: Definitions): ReadonlyMap<string, Compartment> {
  const compartments = new Map<string, Compartment>();
  for (const { url } of definitions.all('CompartmentDefinition')) {
    const resource = definitions.find('CompartmentDefinition', url)?.resource() ?? {};
    const members = objectsOf(resource['resource']).map(
      member => [String(member['code']), stringsOf(member['param'])] as const,
    );
    const code = String(resource['code']);
    const parameters = new Map(members.filter(([, params]) => params.length > 0));
    compartments.set(code, Object.freeze({ code, url, parameters }));
  }
  return compartments;
}

/**
 * The compartments that can be searched, by code; reports those that are not loaded or whose type is not declared.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.compartment
 */
export function searchedCompartmentsOf(
  { rests, types }: Declared,
  compartments: ReadonlyMap<string, Compartment>,
  report: ReportAt,
): ReadonlyMap<string, Compartment> {
  const found = new Map<string, Compartment>();
  const byUrl = new Map([...compartments.values()].map(compartment => [compartment.url, compartment]));
  for (const { text, ...node } of texts(rests, 'compartment')) {
    const compartment = byUrl.get(text);
    if (compartment === undefined)
      report(node, '', `No CompartmentDefinition \`${text}\` is loaded.${didYouMean(text, byUrl.keys())}`);
    else if (!types.has(compartment.code))
      report(node, '', `The compartment is that of ${compartment.code}, which is not declared.`);
    else found.set(compartment.code, compartment);
  }
  return found;
}

/**
 * The compartments whose links are compiled, by code: those that can be searched, and those of the types with an
 * operation that returns compartments. Reports a type whose compartment is not loaded.
 */
export function linkedCompartmentsOf(
  { types }: Declared,
  { definitions, operations, compartments, searchedCompartments, report }: LinkedContext,
): ReadonlyMap<string, Compartment> {
  const found = new Map(searchedCompartments);
  for (const [name, nodes] of types)
    for (const node of items(nodes, 'operation')) {
      const canonical = asString(node.json['definition']) ?? '';
      const code = asString(definitions.find('OperationDefinition', canonical)?.resource()['code']) ?? '';
      if (operations.get(code)?.ofCompartment !== true) continue;
      const compartment = compartments.get(name);
      if (compartment !== undefined) found.set(name, compartment);
      else report(node, 'definition', `\`$${code}\` needs the CompartmentDefinition of ${name}, which is not loaded.`);
    }
  return found;
}

type LinkedContext = Pick<
  CompileContext,
  'definitions' | 'operations' | 'compartments' | 'searchedCompartments' | 'report'
>;

/**
 * The parameters that link a searchable type to the linked compartments, by the code of the compartment; reports
 * those that are not loaded, without which records would be missing. `own` are the parameters of the type; others are
 * those of R4.
 */
export function compartmentLinksOf(
  name: string,
  nodes: readonly DefinitionNode[],
  own: ReadonlyMap<string, SearchParam>,
  { linkedCompartments, parameters, report }: CompileContext,
): ReadonlyMap<string, readonly SearchParam[]> {
  const links = new Map<string, readonly SearchParam[]>();
  const [node] = nodes;
  if (node === undefined) return links;
  for (const { code: compartment, parameters: ofTypes } of linkedCompartments.values()) {
    const codes = (ofTypes.get(name) ?? []).filter(code => code !== ownResource);
    const of = codes.flatMap(code => {
      const param = own.get(code) ?? parameters.officialByCode(code, name, node, 'type');
      if (param === undefined && !parameters.codes(name).includes(code))
        report(node, 'type', `The compartment of ${compartment} needs the parameter \`${code}\`, which is not loaded.`);
      return param !== undefined && leadsTo(param, compartment) ? [param] : [];
    });
    if (of.length > 0 || name === compartment) links.set(compartment, of);
  }
  return links;
}

/** The parameter of a compartment's own resource. */
const ownResource = '{def}';

const leadsTo = ({ type, targets }: SearchParam, compartment: string): boolean =>
  type === 'reference' && (targets.length === 0 || targets.includes(compartment));

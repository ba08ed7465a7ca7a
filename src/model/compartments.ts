import type { Definitions } from '../definitions/definitions.ts';
import { objectsOf, stringsOf } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Context } from './context.ts';
import type { Declared, DefinitionNode, ReportAt } from './definition-nodes.ts';
import { texts } from './definition-nodes.ts';
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
 * The parameters that link a searchable type to the searched compartments, by the code of the compartment. `own` are
 * the parameters of the type; others are those of R4.
 */
export function compartmentLinksOf(
  name: string,
  nodes: readonly DefinitionNode[],
  own: ReadonlyMap<string, SearchParam>,
  { searchedCompartments, parameters }: Context,
): ReadonlyMap<string, readonly SearchParam[]> {
  const links = new Map<string, readonly SearchParam[]>();
  const [node] = nodes;
  for (const { code: compartment, parameters: ofTypes } of searchedCompartments.values()) {
    const codes = (ofTypes.get(name) ?? []).filter(code => code !== ownResource);
    const of = codes.flatMap(code => {
      const param = own.get(code) ?? (node && parameters.officialByCode(code, name, node, ''));
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

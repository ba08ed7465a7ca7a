import type { Definitions } from '../definitions/definitions.ts';
import { objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { Compartment } from './model.ts';

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

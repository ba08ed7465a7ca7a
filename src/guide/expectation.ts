import { asObject, asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/**
 * The expectation of a requirement, such as SHALL or SHOULD-NOT; undefined if the guide states none.
 * https://hl7.org/fhir/R4/extension-capabilitystatement-expectation.html
 */
export const expectationOf = ({ extension }: JsonObject): string | undefined =>
  asString(objectsOf(extension).find(({ url }) => url === expectationUrl)?.['valueCode']);

/** The extension that states how strongly something is required. */
export const expectationUrl = 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-expectation';

/** The expectation of a primitive value, or of the item of a list of them, which `_element` has. */
export function expectationOfValue(given: JsonObject, element: string, item?: unknown): string | undefined {
  const value = given[element];
  if (!Array.isArray(value)) return expectationOf(asObject(given[`_${element}`]));
  const beside: unknown = given[`_${element}`];
  return Array.isArray(beside) ? expectationOf(asObject(beside[value.indexOf(item)])) : undefined;
}

/** The expectation of what a type requires: of an item with a name or code, of an item of a list, or of an element. */
export function expectationAt(given: JsonObject, element: string, item?: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return expectationOfValue(given, element, item);
  const { name, code } = item as JsonObject;
  return expectationOf(objectsOf(given[element]).find(one => one['name'] === name && one['code'] === code) ?? {});
}

/** True for what a guide says that servers should not have. */
export const isUnwanted = (expectation: string | undefined): boolean =>
  expectation === 'SHOULD-NOT' || expectation === 'SHALL-NOT';

import type { JsonObject } from '../../fhir/json-object.ts';

/** A part of Parameters: `{ name, valueString }`, with a resource or with parts. */
export type ParameterPart = { readonly name: string } & JsonObject;

/** The text of the Parameters that an operation returns. https://hl7.org/fhir/R4/operations.html#response */
export const printParameters = (parts: readonly ParameterPart[]): string =>
  JSON.stringify({ resourceType: 'Parameters', ...(parts.length === 0 ? {} : { parameter: parts }) });

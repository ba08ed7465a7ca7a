import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../fhir/json-object.ts';

/** What the definitions of R4 do not say about an interface that declares all of R4. */
export interface InterfaceTemplate {
  /** The CapabilityStatement without interactions, search parameters, operations and compartments. */
  readonly statement: JsonObject;
  /**
   * Lists of codes of parameters by which people sort: each type gets a sort index for the first of each list that it
   * offers.
   */
  readonly sortIndexes: readonly (readonly string[])[];
  /** The resource types that are not declared, with the reason, one sentence each. */
  readonly omitted: readonly { readonly type: string; readonly reason: string }[];
}

/** The file of the template, relative to the checkout. */
export const templateFile = 'src/guide/r4.json';

/** The template of this checkout. */
export function readTemplate(): InterfaceTemplate {
  const path = fileURLToPath(new URL(`../../${templateFile}`, import.meta.url));
  return JSON.parse(readFileSync(path, 'utf8')) as InterfaceTemplate; // a file of this repository
}

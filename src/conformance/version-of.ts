import { asObject, asString } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** The `meta.versionId` of a resource. */
export const versionOf = (resource: JsonObject | undefined): string | undefined =>
  asString(asObject(resource?.['meta'])['versionId']);

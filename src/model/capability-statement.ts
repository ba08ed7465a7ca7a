import manifest from '../../package.json' with { type: 'json' };
import { objectsOf } from '../definitions/json-object.ts';
import type { JsonObject } from '../definitions/json-object.ts';
import type { Model } from './model.ts';

/** What the statement of a running server says beside the model. */
export interface Deployment {
  /** `{publicUrl}/r4/{partition}`, no trailing slash. */
  readonly base: string;
  /** When what is served last changed, as a FHIR dateTime. */
  readonly date: string;
  /** True where requests need a token. */
  readonly secured?: boolean;
  /** This program, where it is left out. */
  readonly software?: { readonly name: string; readonly version: string };
}

/**
 * The CapabilityStatement that `/metadata` serves, as an object of which the same arguments always give the same JSON.
 * https://hl7.org/fhir/R4/http.html#capabilities
 */
export function capabilityStatement(
  model: Model,
  { base, date, secured = false, software = program }: Deployment,
): JsonObject {
  const { resourceType, name, title, status, kind, fhirVersion, format, rest, ...prose } = model.statement;
  const { publisher, contact, description, ...rights } = prose;
  return withoutUndefined({
    resourceType,
    name,
    title,
    status,
    date,
    publisher,
    contact,
    description,
    ...rights,
    kind,
    software: { name: software.name, version: software.version },
    implementation: { description: `${typeof title === 'string' ? title : software.name} at ${base}`, url: base },
    fhirVersion,
    format,
    rest: secured ? objectsOf(rest).map(withSecurity) : rest,
  });
}

/** https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.security */
function withSecurity({ mode, documentation, ...more }: JsonObject): JsonObject {
  const system = 'http://terminology.hl7.org/CodeSystem/restful-security-service';
  const security = {
    service: [{ coding: [{ system, code: 'SMART-on-FHIR' }], text: 'OAuth2 using SMART-on-FHIR profile' }],
    description:
      'Every request but metadata and .well-known/smart-configuration carries the header Authorization: Bearer with an access token.',
  };
  return withoutUndefined({ mode, documentation, security, ...more });
}

const program = { name: 'Clinical Records Service', version: manifest.version };

const withoutUndefined = (from: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined));

import manifest from '../../package.json' with { type: 'json' };
import { objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { extensionBase } from './extension-shapes.ts';
import type { Model } from './model.ts';

/** The parts of a running server's statement that are not in the model. */
export interface Deployment {
  /** `{publicUrl}/r4/{partition}`, no trailing slash. */
  readonly base: string;
  /** When the interface last changed, as a FHIR dateTime. */
  readonly date: string;
  /** `rest.security`; undefined without access control. */
  readonly security?: JsonObject | undefined;
  /** This program by default. */
  readonly software?: { readonly name: string; readonly version: string };
}

/**
 * The CapabilityStatement that `/metadata` serves; the same arguments always give the same JSON.
 * https://hl7.org/fhir/R4/http.html#capabilities
 */
export function capabilityStatement(
  model: Model,
  { base, date, security, software = program }: Deployment,
): JsonObject {
  const { resourceType, name, title, status, kind, fhirVersion, format, patchFormat, rest, ...prose } = model.statement;
  const { publisher, contact, description, ...rights } = prose;
  return withoutUndefined({
    resourceType,
    version: versionOf(model.digest),
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
    implementation: {
      extension: [{ url: `${extensionBase}openapi`, valueUrl: `${base}/openapi.json` }],
      description: `${typeof title === 'string' ? title : software.name} at ${base}`,
      url: base,
    },
    fhirVersion,
    format,
    patchFormat,
    rest: security === undefined ? rest : objectsOf(rest).map(one => withSecurity(one, security)),
  });
}

/**
 * The version of the interface that has definitions of this digest, as operators see it too.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.version
 */
export const versionOf = (digest: string): string => digest.slice(0, 12);

/** https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.security */
const withSecurity = ({ mode, documentation, ...more }: JsonObject, security: JsonObject): JsonObject =>
  withoutUndefined({ mode, documentation, security, ...more });

/** The name and the version of this program. */
export const program = { name: 'Clinical Records Service', version: manifest.version };

const withoutUndefined = (from: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined));

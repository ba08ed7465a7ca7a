import manifest from '../../package.json' with { type: 'json' };
import { asObject, objectsOf } from '../fhir/json-object.ts';
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
  const { resourceType, language, contained, extension, modifierExtension, ...declared } = model.statement;
  const { url, name, title, status, experimental, publisher, contact, description, ...context } = declared;
  const { useContext, jurisdiction, purpose, copyright, kind, instantiates, implementation, ...offer } = context;
  const { rest, ...formats } = offer;
  const own = asObject(implementation);
  return withoutUndefined({
    resourceType,
    language,
    contained,
    extension,
    modifierExtension,
    url,
    version: versionOf(model.digest),
    name,
    title,
    status,
    experimental,
    date,
    publisher,
    contact,
    description,
    useContext,
    jurisdiction,
    purpose,
    copyright,
    kind,
    instantiates,
    software: { name: software.name, version: software.version },
    implementation: {
      ...own,
      extension: [
        ...objectsOf(own['extension']).filter(one => one['url'] !== openapiUrl),
        { url: openapiUrl, valueUrl: `${base}/openapi.json` },
      ],
      description: own['description'] ?? `${typeof title === 'string' ? title : software.name} at ${base}`,
      url: base,
    },
    ...formats,
    rest: security === undefined ? rest : objectsOf(rest).map(one => withSecurity(one, security)),
  });
}

const openapiUrl = `${extensionBase}openapi`;

/**
 * The version of the interface that has definitions of this digest, as operators see it too.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.version
 */
export const versionOf = (digest: string): string => digest.slice(0, 12);

/** https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.security */
const withSecurity = ({ extension, mode, documentation, ...more }: JsonObject, security: JsonObject): JsonObject =>
  withoutUndefined({ extension, mode, documentation, security, ...more });

/** The name and the version of this program. */
export const program = { name: 'Clinical Records Service', version: manifest.version };

const withoutUndefined = (from: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined));

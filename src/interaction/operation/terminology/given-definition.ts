import type { Definition } from '../../../definitions/definition.ts';
import type { Definitions } from '../../../definitions/definitions.ts';
import { parseCanonical } from '../../../fhir/reference.ts';
import { fhirError } from '../../../fhir/error.ts';
import type { FhirError } from '../../../fhir/error.ts';
import { asObject, objectsOf, stringsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { shorten } from '../../../validation/report.ts';
import type { Engine, FhirRequest } from '../../interaction.ts';
import type { Arguments } from '../arguments.ts';

/** The definition that a call is about: a loaded one, or one in the call. */
export type GivenDefinition =
  | { readonly from: 'loaded'; readonly canonical: string; readonly resource: JsonObject }
  | { readonly from: 'call'; readonly resource: JsonObject }
  /** It is not loaded; a terminology server may know it. */
  | { readonly from: 'elsewhere'; readonly canonical: string };

/** The names of the parameters that give a definition of a type. */
export interface DefinitionParameters {
  readonly type: string;
  readonly inline: string;
  readonly version: string;
}

/**
 * The definition that a call names: by its id in the URL, by `url` with or without a version, or in the call. Undefined
 * if it names none. Throws FhirError 400 if it names several, and 404 for an unknown id.
 * https://hl7.org/fhir/R4/valueset-operation-expand.html
 */
export function givenDefinition(
  { definitions }: Pick<Engine, 'definitions'>,
  { id }: Pick<FhirRequest, 'id'>,
  given: Arguments,
  { type, inline, version: versionName }: DefinitionParameters,
): GivenDefinition | undefined {
  const [url, resource] = [given.text('url'), given.object(inline)];
  const ways = [id && 'the id in the URL', url && '`url`', resource && `\`${inline}\``];
  const used = ways.filter(way => way !== undefined);
  if (used.length > 1) throw fhirError(400, 'invalid', `Give one of ${used.join(' and ')}, which name definitions.`);
  if (resource !== undefined) return { from: 'call', resource: requireSmall(resource, inline) };
  if (id !== undefined) {
    const found = byId(definitions, type, id);
    if (found === undefined)
      throw fhirError(404, 'not-found', notLoadedText(`${type} with the id \`${shorten(id)}\``, type));
    return { from: 'loaded', canonical: canonicalOf(found), resource: found.resource() };
  }
  if (url === undefined) return undefined;
  const parsed = parseCanonical(url);
  const version = given.text(versionName) ?? parsed.version;
  const canonical = version === undefined ? parsed.url : `${parsed.url}|${version}`;
  const found = definitions.find(type, canonical);
  return found === undefined
    ? { from: 'elsewhere', canonical }
    : { from: 'loaded', canonical, resource: found.resource() };
}

/** Most parts of a ValueSet in a call, which each select codes of whole systems. */
const mostParts = 100;

/** Throws FhirError 400 for a ValueSet in the call whose expansion would block others for long. */
function requireSmall(resource: JsonObject, name: string): JsonObject {
  const { include, exclude } = asObject(resource['compose']);
  const parts = [...objectsOf(include), ...objectsOf(exclude)];
  const count = parts.flatMap(part => [part, ...objectsOf(part['filter']), ...stringsOf(part['valueSet'])]).length;
  if (count <= mostParts) return resource;
  const text = `\`${name}\` has ${count} parts, but the limit is ${mostParts} includes, excludes and filters.`;
  throw fhirError(400, 'too-costly', text, `http.${name}`);
}

const canonicalOf = ({ url, version }: Definition): string => (version === undefined ? url : `${url}|${version}`);

/** The ids of loaded definitions, read at the first call by id; most end their url, so that few are parsed. */
function byId(definitions: Pick<Definitions, 'find' | 'all'>, type: string, id: string): Definition | undefined {
  const all = definitions.all(type);
  const likely = all.filter(({ url }) => url.endsWith(`/${id}`)).map(({ url }) => definitions.find(type, url));
  const found = likely.find(one => one?.resource()['id'] === id);
  if (found !== undefined) return found;
  const ofType = idsOf.get(all) ?? new Map(all.map(one => [String(one.resource()['id']), one]));
  idsOf.set(all, ofType);
  return ofType.get(id);
}

/** Definitions by id, for the list of a type, which is the same for each call. */
const idsOf = new WeakMap<readonly Definition[], ReadonlyMap<string, Definition>>();

export const notLoaded = (type: string, canonical: string): FhirError =>
  fhirError(404, 'not-found', notLoadedText(`${type} \`${shorten(canonical)}\``, type), 'http.url');

const notLoadedText = (what: string, type: string): string =>
  `No ${what} is loaded with the definitions. Stored records of ${type} are not used: send the definition in the call.`;

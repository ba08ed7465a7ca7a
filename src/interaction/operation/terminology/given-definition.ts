import { parseCanonical } from '../../../fhir/reference.ts';
import { fhirError } from '../../../fhir/error.ts';
import type { FhirError } from '../../../fhir/error.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { TerminologyService } from '../../../terminology/service.ts';
import type { ValueSet } from '../../../terminology/value-set.ts';
import { asObject, asString, objectsOf, stringsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { findById } from '../../../terminology/source.ts';
import type { TerminologyResource, TerminologySource, TerminologyType } from '../../../terminology/source.ts';
import { shorten } from '../../../validation/report.ts';
import type { Engine, FhirRequest } from '../../interaction.ts';
import type { Arguments } from '../arguments.ts';
import { serviceOf, sourceOf, terminologyError } from './call.ts';

/** The definition that a call is about: a loaded one, or one in the call. */
export type GivenDefinition =
  | { readonly from: 'loaded'; readonly canonical: string; readonly resource: JsonObject }
  | { readonly from: 'call'; readonly resource: JsonObject }
  /** It is not loaded; a terminology server may know it. */
  | { readonly from: 'elsewhere'; readonly canonical: string };

/** The names of the parameters that give a definition of a type. */
export interface DefinitionParameters {
  readonly type: TerminologyType;
  readonly inline: string;
  readonly version: string;
}

/**
 * The definition that a call names: by its id in the URL, by `url` with or without a version, by the element that is
 * bound to it (`context`), or in the call. Undefined if it names none. Throws FhirError 400 if it names several, and
 * 404 for an unknown id. https://hl7.org/fhir/R4/valueset-operation-expand.html
 */
export function givenDefinition(
  source: TerminologySource,
  { model }: Pick<Engine, 'model'>,
  { id }: Pick<FhirRequest, 'id'>,
  given: Arguments,
  { type, inline, version: versionName }: DefinitionParameters,
): GivenDefinition | undefined {
  const [url, resource, context] = [given.text('url'), given.object(inline), given.text('context')];
  const ways = [id && 'the id in the URL', url && '`url`', resource && `\`${inline}\``, context && '`context`'];
  const used = ways.filter(way => way !== undefined);
  // A ValueSet in the call may come with its `url`, as terminology clients send it.
  const isSame = resource !== undefined && used.length === 2 && url !== undefined && url === resource['url'];
  if (used.length > 1 && !isSame)
    throw fhirError(400, 'invalid', `Give one of ${used.join(' and ')}, which name definitions.`);
  if (resource !== undefined) return { from: 'call', resource: requireSmall(resource, inline) };
  if (id !== undefined) {
    const found = findById(source, type, id);
    if (found === undefined)
      throw fhirError(404, 'not-found', notLoadedText(`${type} with the id \`${shorten(id)}\``, type));
    return { from: 'loaded', canonical: canonicalOf(found), resource: found.resource() };
  }
  const named = context === undefined ? url : boundTo(context, model);
  if (named === undefined) return undefined;
  const parsed = parseCanonical(named);
  const version = given.text(versionName) ?? parsed.version;
  const base = named.includes('#') ? named : parsed.url;
  const canonical = version === undefined ? base : `${base}|${version}`;
  const found = source.find(type, canonical);
  return found === undefined || named.includes('#')
    ? { from: 'elsewhere', canonical }
    : { from: 'loaded', canonical, resource: found.resource() };
}

/** A value set as a call reads it: `resource` is its definition. */
export interface GivenSet {
  readonly service: TerminologyService;
  readonly set: ValueSet;
  readonly resource: JsonObject | undefined;
}

/**
 * The value set that a call names, with the service that reads it; a FhirError 404 if it is not known here. Throws as
 * `givenDefinition`, FhirError 400 if the call names none, and as `serviceOf`.
 */
export async function givenSet(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  given: Arguments,
): Promise<GivenSet | FhirError> {
  const source = sourceOf(engine, given);
  const names = { type: 'ValueSet', inline: 'valueSet', version: 'valueSetVersion' } as const;
  const definition = givenDefinition(source, engine, request, given, names);
  if (definition === undefined) throw fhirError(400, 'required', 'Name the ValueSet by its `url`.', 'http.url');
  const resource = definition.from === 'elsewhere' ? undefined : definition.resource;
  const service = await serviceOf({ engine, partition, source }, given, resource);
  const set = definition.from === 'call' ? service.compile(definition.resource) : service.set(definition.canonical);
  if (set === undefined) return notLoaded('ValueSet', definition.from === 'call' ? '' : definition.canonical);
  return { service, set, resource };
}

/** The value set to which an element is bound: `context` is a profile, `#` and the path or the id of an element. */
function boundTo(context: string, model: Engine['model']): string {
  const at = context.indexOf('#');
  const [profile, path] = [context.slice(0, at === -1 ? undefined : at), context.slice(at + 1)];
  const snapshot = model.snapshot(profile);
  const element = snapshot?.elements.find(one => one['id'] === path || one['path'] === path);
  const valueSet = asString(asObject(element?.['binding'])['valueSet']);
  if (valueSet !== undefined) return valueSet.startsWith('#') ? `${snapshot?.url ?? ''}${valueSet}` : valueSet;
  const why = snapshot === undefined ? 'no such profile is loaded' : `its element \`${shorten(path)}\` has no binding`;
  throw fhirError(404, 'not-found', `\`context=${shorten(context)}\` names no value set: ${why}.`, 'http.context');
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

const canonicalOf = ({ url, version }: TerminologyResource): string =>
  version === undefined ? url : `${url}|${version}`;

export const notLoaded = (type: string, canonical: string): FhirError =>
  terminologyError(404, 'not-found', 'not-found', notLoadedText(`${type} \`${shorten(canonical)}\``, type), 'http.url');

const notLoadedText = (what: string, type: string): string =>
  `No ${what} is known here. Store the ${type}, or send it in the call.`;

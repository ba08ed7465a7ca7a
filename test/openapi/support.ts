import { join } from 'node:path';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { createOpenApi } from '../../src/openapi/document.ts';
import { authorizationOffered } from '../../src/auth/offered.ts';
import { requireModel } from '../support/loaded-once.ts';

export const base = 'https://records.example/r4/clinic';

const allR4 = join(import.meta.dirname, '../fixtures/all-r4/capability');

/** The two interfaces that the tests describe. */
export const interfaces: readonly (readonly [name: string, capability: string | undefined])[] = [
  ['the shipped interface', undefined],
  ['all of R4', allR4],
];

/** The description of an interface with the authorization server of this service, as text. */
export async function openApiText(capability?: string, secured = true, hasIssuer = true): Promise<string> {
  const { model } = await requireModel({ definitions: [], ...(capability === undefined ? {} : { capability }) });
  const offered = hasIssuer ? authorizationOffered(model, 'https://records.example') : undefined;
  return (await createOpenApi({ model, secured, offered }))(base).text;
}

export const openApi = async (...of: Parameters<typeof openApiText>): Promise<JsonObject> =>
  JSON.parse(await openApiText(...of)) as JsonObject;

/** One method of one path. */
export interface Described {
  readonly path: string;
  readonly method: string;
  readonly call: JsonObject;
  /** Its parameters and those of its path, with references resolved. */
  readonly parameters: readonly JsonObject[];
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];

/** All calls of a document. */
export function callsIn(document: JsonObject): readonly Described[] {
  return Object.entries(asObject(document['paths'])).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const call = asObject(item)[method];
      if (call === undefined) return [];
      const given = [...objectsOf(asObject(item)['parameters']), ...objectsOf(asObject(call)['parameters'])];
      return [{ path, method, call: asObject(call), parameters: given.map(one => resolved(one, document)) }];
    }),
  );
}

/** The part to which a reference leads; the part itself if it is none. Throws if the reference leads nowhere. */
export function resolved(part: JsonObject, document: JsonObject): JsonObject {
  const ref = part['$ref'];
  if (typeof ref !== 'string') return part;
  let found: unknown = document;
  for (const name of ref.replace(/^#\//, '').split('/')) found = asObject(found)[name];
  if (found === undefined) throw new Error(`${ref} leads nowhere`);
  return asObject(found);
}

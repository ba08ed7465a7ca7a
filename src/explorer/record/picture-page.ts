import { fhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { pictureTypes } from './values/other.ts';

/**
 * The bytes of a picture in a record that the visitor may read: `at` is its place, such as `Patient.photo[0]`. Throws
 * FhirError 404 if there is no picture at the place.
 */
export async function picturePage({ ask, params, options, engine }: Visit): Promise<Reply> {
  const { type: name = '', id = '' } = params;
  const version = options.get('version') ?? '';
  const isRead = version !== '' && engine.model.types.get(name)?.interactions.has('vread') === true;
  const { json } = await ask(`${name}/${id}${isRead ? `/_history/${encodeURIComponent(version)}` : ''}`);
  const [, ...steps] = (options.get('at') ?? '').split(/[.[\]]+/).filter(Boolean);
  let found: unknown = json;
  for (const step of steps) {
    const value: unknown = Array.isArray(found) || isObject(found) ? Reflect.get(found, step) : undefined;
    found = isObject(value) || Array.isArray(value) ? value : undefined;
  }
  const { contentType, data } = isObject(found) ? found : {};
  const type = typeof contentType === 'string' ? contentType.toLowerCase() : '';
  if (typeof data !== 'string' || !pictureTypes.has(type))
    throw fhirError(404, 'not-found', 'The record has no picture at this place.');
  return { kind: 'bytes', type, bytes: Buffer.from(data, 'base64') };
}

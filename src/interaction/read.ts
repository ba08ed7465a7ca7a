import { isUnmodified } from './conditional-read.ts';
import { controls, subsetOf } from './controls.ts';
import { declaredType } from './declared.ts';
import type { Interaction } from './interaction.ts';
import { handlingOf } from './prefer.ts';
import { subset } from './subset.ts';
import { findVisible } from './visible.ts';

/**
 * Read by id: 200 with the stored text, 304 if the client has it, 404 if it never existed (also for an invalid id, or
 * one that the caller may not see), 410 if it was deleted, returned only to callers who may see every record of the
 * type. https://hl7.org/fhir/R4/http.html#read
 */
export const read: Interaction = async (
  { model, handling, extract },
  { parameters, headers, ...request },
  partition,
) => {
  const type = declaredType(model, request);
  const given = controls(parameters, ['_summary', '_elements'], handlingOf(headers['prefer'], handling));
  const wanted = subsetOf(given, type.definition);
  const found = await findVisible({ extract }, type, { partition, access: request.access, id: request.id ?? '' });
  const records = [found];
  const { text } = found;
  const etag = String(found.version);
  const lastModified = found.lastUpdated;
  if (isUnmodified(headers, type, { tag: etag, lastModified })) return { status: 304, etag, lastModified, records };
  return { status: 200, etag, lastModified, records, body: subset(text, wanted, type.definition, model.definitions) };
};

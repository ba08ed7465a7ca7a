import { recordNotWritable } from '../auth/refusals.ts';
import { fhirError } from '../fhir/error.ts';
import { isId } from '../fhir/reference.ts';
import { asString, isObject } from '../fhir/json-object.ts';
import type { ResourceType } from '../model/model.ts';
import { SeveralMatch } from '../store/port/errors.ts';
import { refuseControls } from './controls.ts';
import { severalMatch, urlCriteria } from './criteria.ts';
import { declaredType } from './declared.ts';
import { requireMatch } from './if-match.ts';
import type { Engine, FhirRequest, Interaction } from './interaction.ts';
import { refuseCostly } from './search/deadline.ts';
import { answerWritten } from './write/answer.ts';
import { cutAttachments, parseBody, requiredBody } from './write/body.ts';
import { findByCriteria, findCurrent } from './write/current.ts';
import { contextOf } from './write/client-context.ts';
import { writeRecord } from './write/write.ts';
import type { Decision } from './write/write.ts';

/**
 * Update: 200 with the new version, or with the current one if nothing changed; 201 where the type declares
 * `updateCreate` and there is no such record, else 405. 412 if `If-Match` names another version, decided in the write.
 * Without an id in the URL, of the one record that matches its criteria.
 * https://hl7.org/fhir/R4/http.html#update, https://hl7.org/fhir/R4/http.html#cond-update
 */
export const update: Interaction = async (engine, request) => {
  const type = declaredType(engine.model, request);
  const isConditional = request.id === undefined;
  const find = isConditional ? await byCriteria(engine, type, request) : byId(engine, type, request);
  try {
    const bodyId = isConditional ? 'optional' : 'required';
    const draft = { type, letter: 'u', bodyOf: () => requiredBody(request), bodyId } as const;
    const written = await refuseCostly(writeRecord(engine, request, draft, find));
    return answerWritten(written, type, request);
  } catch (error) {
    if (error instanceof SeveralMatch) throw severalMatch(type, urlCriteria);
    throw error;
  }
};

type Find = () => Promise<Decision>;

/** The record with the id of the URL. Throws FhirError 400 for an invalid id. */
function byId(engine: Engine, type: ResourceType, request: FhirRequest): Find {
  const { headers, id = '' } = request;
  refuseControls(request);
  requireId(id);
  return async () => {
    const current = await findCurrent(engine, type, request, 'u');
    requireMatch(headers, type, current.is === 'record' ? current.version : undefined);
    if (current.is === 'record') return { id, former: current.version };
    requireCreatable(type, id);
    // Another record has the id: that cannot be kept secret from a caller who chooses ids.
    if (current.is === 'none' && !current.isFree) throw recordNotWritable(request.base, type.name);
    return { id, former: undefined };
  };
}

/**
 * The one record that matches the criteria of the URL. If none does, one is created, under the id of the body if it has
 * one. https://hl7.org/fhir/R4/http.html#cond-update
 */
async function byCriteria(engine: Engine, type: ResourceType, request: FhirRequest): Promise<Find> {
  const { headers, base } = request;
  const find = await findByCriteria(engine, type, request);
  const { value } = parseBody(cutAttachments(requiredBody(request), type).rest, type.name).parsed;
  const given = isObject(value) ? asString(value['id']) : undefined;
  if (given !== undefined) requireId(given);
  const newId = given ?? contextOf(engine, request).newId();
  return async () => {
    const { query, found, current, requires } = await find();
    requireMatch(headers, type, current.is === 'record' ? current.version : undefined);
    if (current.is === 'record') return { id: current.version.id, former: current.version, requires };
    if (found !== undefined) throw recordNotWritable(base, type.name);
    if (given !== undefined) {
      requireCreatable(type, given);
      const taken = await findCurrent(engine, type, { ...request, id: given }, 'u');
      if (taken.is === 'record' || (taken.is === 'none' && !taken.isFree)) throw idTaken(type, given);
    }
    return { id: newId, former: undefined, precondition: { is: 'no-match', query } };
  };
}

/** Throws FhirError 400 for an invalid id. https://hl7.org/fhir/R4/datatypes.html#id */
function requireId(id: string): void {
  if (isId(id)) return;
  throw fhirError(400, 'value', 'The id is not valid: use 1 to 64 letters, digits, `-` and `.`.');
}

/** https://hl7.org/fhir/R4/http.html#update: 405 if clients may not choose ids. */
function requireCreatable({ name, interactions, updateCreate }: ResourceType, id: string): void {
  if (updateCreate) return;
  const methods = [
    'PUT',
    ...(interactions.has('read') ? ['GET', 'HEAD'] : []),
    ...(interactions.has('patch') ? ['PATCH'] : []),
    ...(interactions.has('delete') ? ['DELETE'] : []),
  ];
  const instead = interactions.has('create') ? ` Create one with \`POST ${name}\`, which gives it an id.` : '';
  const text = `No ${name} has the id \`${id}\`, and an update creates none.${instead}`;
  throw fhirError(405, 'not-found', text, undefined, { Allow: methods.join(', ') });
}

const idTaken = ({ name }: ResourceType, id: string): Error =>
  fhirError(
    409,
    'conflict',
    `No ${name} matches the criteria, but a record has the id \`${id}\` already.`,
    `${name}.id`,
  );

import { recordNotWritable } from '../auth/refusals.ts';
import { fhirError } from '../fhir/error.ts';
import { isId } from '../fhir/id.ts';
import type { ResourceType } from '../model/model.ts';
import { VersionConflict } from '../store/errors.ts';
import { controls } from './controls.ts';
import { declaredType } from './declared.ts';
import { requireMatch, tooManyWrites } from './if-match.ts';
import type { Interaction } from './interaction.ts';
import { handlingOf } from './prefer.ts';
import { answerWritten } from './write/answer.ts';
import { findCurrent } from './write/current.ts';
import { replace } from './write/write.ts';

/**
 * Update: 200 with the new version, or with the current one if nothing changed; 201 where the type declares
 * `updateCreate` and there is no such record, else 405. 412 if `If-Match` names another version, decided in the write.
 * https://hl7.org/fhir/R4/http.html#update
 */
export const update: Interaction = async (engine, request, partition) => {
  const { parameters, headers, base } = request;
  const type = declaredType(engine.model, request);
  controls(parameters, [], handlingOf(headers['prefer'], engine.handling));
  const id = requireId(request.id);
  const draft = { type, id, body: request.body ?? Buffer.alloc(0) };
  const find = async () => {
    const current = await findCurrent(engine, type, request, partition, 'u');
    if (current.is === 'record') {
      requireMatch(headers, type, current.version);
      return current.version;
    }
    requireMatch(headers, type, undefined);
    if (!type.updateCreate) throw notThere(type, id);
    // Another record has the id: that cannot be kept secret from a caller who chooses ids.
    if (current.is === 'none' && !current.isFree) throw recordNotWritable(base, type.name);
    return undefined;
  };
  try {
    return answerWritten(await replace(engine, request, partition, draft, find), type, request);
  } catch (error) {
    if (error instanceof VersionConflict) throw tooManyWrites();
    throw error;
  }
};

/** The id of a URL. Throws FhirError 400 if it is not one. https://hl7.org/fhir/R4/datatypes.html#id */
function requireId(id = ''): string {
  if (isId(id)) return id;
  throw fhirError(400, 'value', 'The id in the URL is not valid: use 1 to 64 letters, digits, `-` and `.`.');
}

/** https://hl7.org/fhir/R4/http.html#update: 405 if clients may not choose ids. */
function notThere({ name, interactions }: ResourceType, id: string): Error {
  const methods = [
    'PUT',
    ...(interactions.has('read') ? ['GET', 'HEAD'] : []),
    ...(interactions.has('delete') ? ['DELETE'] : []),
  ];
  const instead = interactions.has('create') ? ` Create one with \`POST ${name}\`, which gives it an id.` : '';
  return fhirError(
    405,
    'not-found',
    `No ${name} has the id \`${id}\`, and an update creates none.${instead}`,
    undefined,
    {
      Allow: methods.join(', '),
    },
  );
}

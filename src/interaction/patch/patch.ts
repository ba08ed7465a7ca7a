import { fhirError } from '../../fhir/error.ts';
import type { ResourceType } from '../../model/model.ts';
import { refuseControls } from '../controls.ts';
import { declaredType } from '../declared.ts';
import type { Interaction } from '../interaction.ts';
import { refuseCostly } from '../search/deadline.ts';
import { answerWritten } from '../write/answer.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { findByCriteria, findCurrent, requireChangeable } from '../write/current.ts';
import { contextOf } from '../write/client-context.ts';
import { writeRecord } from '../write/write.ts';
import type { Decision } from '../write/write.ts';
import { readPatch } from './read-patch.ts';

/**
 * Patch: 200 with the new version, or with the current one if nothing changed; 404 and 410 as in a read. What the patch
 * makes of the current version is validated and written as an update; if another write comes between, the patch is
 * applied to that version. Without an id in the URL, of the one record that matches its criteria.
 * https://hl7.org/fhir/R4/http.html#patch
 */
export const patch: Interaction = async (engine, request) => {
  const type = declaredType(engine.model, request);
  const apply = readPatch(engine, type, request);
  if (request.id !== undefined) refuseControls(request);
  const find = request.id === undefined ? await findByCriteria(engine, type, request) : undefined;
  const { linked } = contextOf(engine, request);
  const bodyOf = async (former: FormerVersion | undefined): Promise<Buffer> => {
    if (former === undefined) throw new Error('A patch creates no record');
    const body = apply(former);
    return linked === undefined ? body : Buffer.from(await linked(body.toString(), former.text));
  };
  const draft = { type, letter: 'u', bodyOf, bodyId: 'required' } as const;
  const decide = async (): Promise<Decision> => {
    const { current, requires } = (await find?.()) ?? { current: await findCurrent(engine, type, request, 'u') };
    if (current.is !== 'record' && find !== undefined) throw noMatch(type);
    const former = requireChangeable(engine, type, request, { current, what: 'A patch' });
    return { id: former.id, former, requires };
  };
  return answerWritten(await refuseCostly(writeRecord(engine, request, draft, decide)), type, request);
};

const noMatch = ({ name }: ResourceType): Error =>
  fhirError(404, 'not-found', `No ${name} matches the criteria, and a patch creates none.`);

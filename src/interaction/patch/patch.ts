import { fhirError } from '../../fhir/error.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Requirement } from '../../store/port/records.ts';
import { refuseControls } from '../controls.ts';
import { oneMatch, onlyMatch, readCriteria, urlCriteria } from '../criteria.ts';
import { declaredType } from '../declared.ts';
import type { Engine, FhirRequest, Interaction } from '../interaction.ts';
import { refuseCostly } from '../search/costly.ts';
import { answerWritten } from '../write/answer.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { currentOf, findCurrent, requireChangeable } from '../write/current.ts';
import type { CurrentRecord } from '../write/current.ts';
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
  const find = request.id === undefined ? await byCriteria(engine, type, request) : byId(engine, type, request);
  const { linked } = contextOf(engine, request);
  const bodyOf = async (former: FormerVersion | undefined): Promise<Buffer> => {
    if (former === undefined) throw new Error('A patch creates no record');
    const body = apply(former);
    return linked === undefined ? body : Buffer.from(await linked(body.toString(), former.text));
  };
  const draft = { type, letter: 'u', bodyOf, bodyId: 'required' } as const;
  const decide = async () => replacedBy(await find());
  return answerWritten(await refuseCostly(writeRecord(engine, request, draft, decide)), type, request);

  function replacedBy({ current, requires }: FoundRecord): Decision {
    if (current.is !== 'record' && request.id === undefined) throw noMatch(type);
    const former = requireChangeable(engine, type, request, { current, what: 'A patch' });
    return { id: former.id, former, requires };
  }
};

/** The record to patch, and what its write requires. */
interface FoundRecord {
  readonly current: CurrentRecord;
  readonly requires?: readonly Requirement[];
}

type Find = () => Promise<FoundRecord>;

function byId(engine: Engine, type: ResourceType, request: FhirRequest): Find {
  refuseControls(request);
  return async () => ({ current: await findCurrent(engine, type, request, 'u') });
}

/** The one record that matches the criteria of the URL. https://hl7.org/fhir/R4/http.html#patch */
async function byCriteria(engine: Engine, type: ResourceType, request: FhirRequest): Promise<Find> {
  const { base, partition, parameters: pairs } = request;
  const query = await readCriteria(engine, type, request, partition, { pairs, source: urlCriteria });
  const place = { partition, extract: engine.extract, base };
  return async () => {
    const found = await oneMatch(type, query, place, urlCriteria);
    const current = await currentOf(engine, type, request, { letter: 'u', found });
    return { current, requires: found === undefined ? [] : [onlyMatch(type, query, found.id)] };
  };
}

const noMatch = ({ name }: ResourceType): Error =>
  fhirError(404, 'not-found', `No ${name} matches the criteria, and a patch creates none.`);

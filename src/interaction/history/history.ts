import { callerOf } from '../../auth/access.ts';
import { isAllowed } from '../../auth/may.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { searchUrl } from '../../search/bundle.ts';
import { parsePages } from '../../search/parse/page.ts';
import { declaredType } from '../declared.ts';
import { readInRoom } from '../answer-room.ts';
import type { FhirRequest, Interaction } from '../interaction.ts';
import { refuseCostly } from '../search/costly.ts';
import { nextLink } from '../search/search.ts';
import { findLast } from '../visible.ts';
import { printHistory } from './bundle.ts';
import { findVersions } from './find-versions.ts';
import { parseHistory } from './request.ts';

/**
 * The history of a record, of a type or of all types: the versions of the records that the caller may see now, newest
 * first by default, tombstones too. Page tokens are those of searches. https://hl7.org/fhir/R4/http.html#history
 */
export const history: Interaction = async (engine, request, partition) => {
  const { base, access, resourceType, id, parameters, handling } = request;
  const types = resourceType === undefined ? typesOf(engine.model, request) : [declaredType(engine.model, request)];
  const path = [resourceType, id, '_history'].filter(part => part !== undefined).join('/');
  const paging = { cursors: engine.cursors, partition: partition.id, caller: callerOf(access) };
  const context = { types, zone: partition.settings.zone, handling, now: engine.now() };
  const parse = (pairs: FhirRequest['parameters'], now: number) => [parseHistory(pairs, { ...context, now })];
  const [asked] = await parsePages({ path, parse }, parameters, context.now, paging);
  if (asked === undefined) throw new Error('A history has one request');
  const [type] = types;
  if (type !== undefined && id !== undefined) await findLast(engine, type, { partition, access, id });
  const letter = id === undefined ? 's' : 'r';
  const wanted = { partition, extract: engine.extract, base, access, letter, types, id } as const;
  const large = { count: asked.count, others: false };
  const { versions, next } = await readInRoom(request.room, large, () => refuseCostly(findVersions(wanted, asked)));
  const link = next === undefined ? undefined : await nextLink(engine, base, path, asked, next, paging);
  const body = printHistory({ base, self: searchUrl(base, path, asked.self), next: link, versions });
  return { status: 200, body, records: versions };
};

/** The types whose history the caller may read. Throws FhirError 403 if there is none. */
function typesOf({ types }: Model, { access, base }: FhirRequest): readonly ResourceType[] {
  const allowed = [...types.values()].filter(({ name }) =>
    isAllowed(access, { interaction: 'history-type', resourceType: name }),
  );
  if (allowed.length > 0) return allowed;
  throw scopeInsufficient(base, 'The token has no scope for the history of any type.', []);
}

import { callerOf } from '../../auth/access.ts';
import { isAllowed } from '../../auth/may.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { searchUrl } from '../../search/bundle.ts';
import { parsePages } from '../../search/parse/page.ts';
import { declaredType } from '../declared.ts';
import { readInRoom } from '../answer-room.ts';
import type { FhirRequest, Interaction } from '../interaction.ts';
import { refuseCostly } from '../search/deadline.ts';
import { nextLink } from '../search/search.ts';
import { findLast } from '../read.ts';
import { printETag } from '../../fhir/etag.ts';
import { printInstant } from '../../fhir/resource-text.ts';
import type { StoredVersion } from '../../store/port/records.ts';
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

/** The content of a history. */
interface HistoryBundle {
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  /** Absolute URLs. */
  readonly self: string;
  readonly next: string | undefined;
  readonly versions: readonly StoredVersion[];
}

/**
 * The text of a history Bundle around the stored texts of the versions. The method of an entry is that of the usual
 * interaction with this result: which one it was is not stored. https://hl7.org/fhir/R4/bundle.html#history
 */
function printHistory({ base, self, next, versions }: HistoryBundle): string {
  const links = [`{"relation":"self","url":${JSON.stringify(self)}}`];
  if (next !== undefined) links.push(`{"relation":"next","url":${JSON.stringify(next)}}`);
  const entries = versions.map(version => printVersion(base, version)).join(',');
  const list = versions.length === 0 ? '' : `,"entry":[${entries}]`;
  return `{"resourceType":"Bundle","type":"history","link":[${links.join(',')}]${list}}`;
}

function printVersion(base: string, { type, id, version, lastUpdated, text }: StoredVersion): string {
  const [method, url, status] =
    text === undefined
      ? ['DELETE', `${type}/${id}`, '204']
      : version === 1
        ? ['POST', type, '201']
        : ['PUT', `${type}/${id}`, '200'];
  const etag = JSON.stringify(printETag(version));
  return [
    `{"fullUrl":${JSON.stringify(`${base}/${type}/${id}`)}`,
    ...(text === undefined ? [] : [`"resource":${text}`]),
    `"request":{"method":"${method}","url":"${url}"}`,
    `"response":{"status":"${status}","etag":${etag},"lastModified":"${printInstant(lastUpdated)}"}}`,
  ].join(',');
}

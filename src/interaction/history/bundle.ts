import { printETag } from '../../fhir/etag.ts';
import { printInstant } from '../../fhir/resource-text.ts';
import type { StoredVersion } from '../../store/port/records.ts';

/** The content of a history. */
export interface HistoryBundle {
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
export function printHistory({ base, self, next, versions }: HistoryBundle): string {
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

import { parseCanonical } from '../fhir/reference.ts';
import type { Emit, Entries } from './reading.ts';

/**
 * URIs as written, case-sensitive; a canonical with its version, and without it, since a search for `url` is for any
 * version. The URL of a resource with a version is also indexed with it, as canonicals name it: `url|version`.
 * https://hl7.org/fhir/R4/search.html#uri, https://hl7.org/fhir/R4/references.html#canonical
 */
export const uriEntries: Entries = (type, emit, reading) => {
  if (!uris.has(type.code)) return undefined;
  const isOwn = /^[A-Za-z]+\.url$/.test(type.element?.path ?? '');
  const isCanonical = type.code === 'canonical';
  return value => {
    if (typeof value !== 'string' || value === '') return;
    emit({ kind: 'uri', uri: value });
    if (isCanonical && value.includes('|')) emit({ kind: 'uri', uri: parseCanonical(value).url });
    if (isOwn) emitVersioned(emit, value, reading.resource);
  };
};

function emitVersioned(emit: Emit, url: string, resource: object): void {
  const { version } = resource as { version?: unknown }; // stored JSON
  if (typeof version === 'string' && version !== '') emit({ kind: 'uri', uri: `${url}|${version}` });
}

const uris: ReadonlySet<string> = new Set(['uri', 'url', 'canonical', 'oid', 'uuid']);

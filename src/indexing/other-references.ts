import { parseReference } from '../fhir/reference.ts';
import { referencesIn } from '../fhir/references-in.ts';
import type { Entries } from './reading.ts';

/**
 * The references of a resource that no parameter for clients indexes, so that a deletion finds them.
 * https://hl7.org/fhir/R4/http.html#delete
 */
export const otherReferenceEntries: Entries = (type, emit, _reading, _model, { indexedPaths }) => {
  const isIndexed = (path: string, target: string): boolean => {
    const targets = indexedPaths?.get(path) ?? indexedPaths?.get(path.replace(/Reference$/, ''));
    return targets !== undefined && (targets === 'any' || targets.has(target));
  };
  return value => {
    for (const { text, path } of referencesIn(value, type.code)) {
      const parsed = parseReference(text);
      if (parsed?.kind !== 'relative' && parsed?.kind !== 'absolute') continue;
      if (isIndexed(path, parsed.type)) continue;
      if (parsed.kind === 'absolute')
        emit({ kind: 'reference', type: undefined, id: undefined, url: parsed.url, version: undefined });
      else emit({ kind: 'reference', type: parsed.type, id: parsed.id, url: undefined, version: undefined });
    }
  };
};

import { parseReference } from '../fhir/reference.ts';
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

/** A reference within a resource. */
interface ReferenceIn {
  /** The reference as it is written: `Patient/1`, an absolute URL. */
  readonly text: string;
  /** The names of the properties that lead to it, `Observation.subject`, without indexes. */
  readonly path: string;
}

/**
 * Finds all literal references in a resource, also in contained ones, extensions and identifiers (`assigner`), and the
 * URLs of attachments that name a Binary. `resource` is stored JSON.
 * https://hl7.org/fhir/R4/references.html#literal, https://hl7.org/fhir/R4/datatypes.html#attachment
 */
export function referencesIn(resource: unknown, type: string): readonly ReferenceIn[] {
  const found: ReferenceIn[] = [];
  visit(resource, type, found);
  return found;
}

function visit(value: unknown, path: string, found: ReferenceIn[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) visit(item, path, found);
    return;
  }
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'object') visit(one, `${path}.${name}`, found);
    else if (typeof one !== 'string') continue;
    else if (name === 'reference' || (name === 'url' && isBinary(one))) found.push({ text: one, path });
  }
}

function isBinary(url: string): boolean {
  if (!url.includes('Binary/')) return false;
  const parsed = parseReference(url);
  return (parsed?.kind === 'relative' || parsed?.kind === 'absolute') && parsed.type === 'Binary';
}

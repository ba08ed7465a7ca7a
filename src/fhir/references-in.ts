import { parseReference } from './reference.ts';

/** A reference within a resource. */
export interface ReferenceIn {
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

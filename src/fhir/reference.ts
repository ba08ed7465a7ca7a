import { isId } from './id.ts';

/** The parts of a reference, or of the value of a reference parameter. */
export type ParsedReference =
  /** `Patient/1`, `Patient/1/_history/2`. */
  | { readonly kind: 'relative'; readonly type: string; readonly id: string; readonly version?: string }
  /** `https://example.org/fhir/Patient/1`: `base` is `https://example.org/fhir`, `url` is without the version. */
  | {
      readonly kind: 'absolute';
      readonly url: string;
      readonly base: string;
      readonly type: string;
      readonly id: string;
      readonly version?: string;
    }
  /** `#id`. */
  | { readonly kind: 'contained'; readonly id: string }
  /** Any other text: `urn:uuid:…`, a canonical, a page elsewhere. */
  | { readonly kind: 'url'; readonly url: string };

/**
 * Parses a reference; undefined for the empty text and for text with white space. Its type need not exist.
 * https://hl7.org/fhir/R4/references.html#literal
 */
export function parseReference(text: string): ParsedReference | undefined {
  if (text === '' || /\s/.test(text)) return undefined;
  if (text.startsWith('#')) return { kind: 'contained', id: text.slice(1) };
  const place = restful(text);
  if (place === undefined) return { kind: 'url', url: text };
  const { base, ...target } = place;
  if (base === '') return { kind: 'relative', ...target };
  if (!/^https?:\/\/[^/]/i.test(base)) return { kind: 'url', url: text };
  return { kind: 'absolute', url: `${base}/${target.type}/${target.id}`, base, ...target };
}

/** The type and id in an absolute reference below a base (without a slash at its end); undefined for another one. */
export function belowBase(base: string, url: string): { readonly type: string; readonly id: string } | undefined {
  const parsed = url.startsWith(base) ? parseReference(url) : undefined;
  return parsed?.kind === 'absolute' && parsed.base === base ? parsed : undefined;
}

interface Place {
  base: string;
  type: string;
  id: string;
  version?: string;
}

/** Parses `[base/]Type/id[/_history/version]` from the end. */
function restful(text: string): Place | undefined {
  let end = text.length;
  const next = (): string => {
    const slash = text.lastIndexOf('/', end - 1);
    const part = text.slice(slash + 1, end);
    end = slash;
    return part;
  };
  let id = next();
  let type = end < 0 ? '' : next();
  let version: string | undefined;
  if (type === '_history') {
    version = id;
    id = end < 0 ? '' : next();
    type = end < 0 ? '' : next();
    if (!isId(version)) return undefined;
  }
  if (!isId(id) || type.length > 64 || !/^[A-Z][A-Za-z]+$/.test(type)) return undefined;
  // A path that begins with a slash has no base.
  if (end === 0) return undefined;
  return { base: end < 0 ? '' : text.slice(0, end), type, id, ...(version === undefined ? {} : { version }) };
}

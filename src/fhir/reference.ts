interface Canonical {
  readonly url: string;
  readonly version?: string;
  readonly fragment?: string;
}

/** The parts of `url|version#fragment`. https://hl7.org/fhir/R4/references.html#canonical */
export function parseCanonical(text: string): Canonical {
  const hash = text.indexOf('#');
  const bare = hash < 0 ? text : text.slice(0, hash);
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  const bar = bare.indexOf('|');
  const version = bar < 0 ? '' : bare.slice(bar + 1);
  return {
    url: bar < 0 ? bare : bare.slice(0, bar),
    ...(version === '' ? {} : { version }),
    ...(fragment === '' ? {} : { fragment }),
  };
}

/**
 * True for a valid id of a resource: 1 to 64 letters, digits, `-` and `.`. https://hl7.org/fhir/R4/datatypes.html#id
 */
export function isId(text: string): boolean {
  return text.length <= 64 && /^[A-Za-z0-9\-.]+$/.test(text);
}

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
  const own = relative.exec(text);
  if (own !== null) return { kind: 'relative', type: own[1] ?? '', id: own[2] ?? '' };
  const place = restful.exec(text);
  if (place === null) return { kind: 'url', url: text };
  const [, base, type = '', id = '', version] = place;
  const versioned = version === undefined ? undefined : { version };
  if (base === undefined) return { kind: 'relative', type, id, ...versioned };
  if (!/^https?:\/\/[^/]/i.test(base)) return { kind: 'url', url: text };
  return { kind: 'absolute', url: `${base}/${type}/${id}`, base, type, id, ...versioned };
}

/** `Type/id`, as most references are. */
const relative = /^([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9\-.]{1,64})$/;

/** `[base/]Type/id[/_history/version]`. */
const restful = /^(?:(.+)\/)?([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/([A-Za-z0-9\-.]{1,64}))?$/;

/** The type and id in an absolute reference below a base (without a slash at its end); undefined for another one. */
export function belowBase(base: string, url: string): { readonly type: string; readonly id: string } | undefined {
  const parsed = url.startsWith(base) ? parseReference(url) : undefined;
  return parsed?.kind === 'absolute' && parsed.base === base ? parsed : undefined;
}

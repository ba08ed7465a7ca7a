export interface Canonical {
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

/** A media range of an Accept header. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 */
export interface Range {
  readonly type: string;
  readonly quality: number;
  readonly versioned: boolean;
}

/** The ranges of an Accept header, without those of other FHIR releases. */
export const rangesOf = (accept: string): readonly Range[] => accept.split(',').flatMap(text => parseRange(text) ?? []);

/** Whether an Accept header accepts a media type; its parameters do not matter. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const [name = ''] = type.toLowerCase().split(';');
  return (mostSpecific(rangesOf(accept), name.trim())?.quality ?? 0) > 0;
}

/** The most specific range for a type: the type itself before `application/*` before any. */
export function mostSpecific(ranges: readonly Range[], type: string): Range | undefined {
  for (const name of [type, `${type.split('/', 1)[0]}/*`, '*/*']) {
    const matching = ranges.filter(range => range.type === name);
    if (matching.length > 0) return matching.reduce((one, other) => (other.quality > one.quality ? other : one));
  }
  return undefined;
}

/** One item of an Accept list; undefined for another FHIR release or an invalid range. */
function parseRange(text: string): Range | undefined {
  const [name = '', ...parameters] = text.split(';').map(part => part.trim());
  const quality = parameters.find(parameter => /^q\s*=/i.test(parameter))?.replace(/^q\s*=\s*/i, '');
  if (quality !== undefined && !/^(0(\.\d{0,3})?|1(\.0{0,3})?|\.\d{1,3})$/.test(quality)) return undefined;
  const version = fhirVersion(parameters);
  if (version !== undefined && version !== '4.0') return undefined;
  const type = name === '*' ? '*/*' : name.toLowerCase();
  return { type, quality: Number(quality ?? 1), versioned: version !== undefined };
}

export function fhirVersion(parameters: readonly string[]): string | undefined {
  const parameter = parameters.find(text => /^fhirversion\s*=/i.test(text));
  return parameter?.replace(/^fhirversion\s*=\s*/i, '').replaceAll('"', '');
}

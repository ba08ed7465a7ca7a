/** A media type with its parameters, in lower case. https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 */
interface MediaType {
  readonly type: string;
  parameter(name: string): string | undefined;
}

function parseMediaType(text: string): MediaType {
  const [type = '', ...parameters] = text
    .toLowerCase()
    .split(';')
    .map(part => part.trim());
  return {
    type,
    parameter: name =>
      parameters
        .find(parameter => parameter.startsWith(`${name}=`))
        ?.slice(name.length + 1)
        .replaceAll('"', ''),
  };
}

/**
 * True for JSON of FHIR R4 in UTF-8: `application/fhir+json` or `application/json`, without fhirVersion or with 4.0.
 * https://hl7.org/fhir/R4/http.html#mime-type
 */
export function isFhirJson(contentType: string): boolean {
  const media = parseMediaType(contentType);
  return ['application/fhir+json', 'application/json'].includes(media.type) && isR4(media);
}

/** Whether a content type is FHIR XML: `application/fhir+xml`, `application/xml` or `text/xml`. */
export function isFhirXml(contentType: string): boolean {
  const media = parseMediaType(contentType);
  return ['application/fhir+xml', 'application/xml', 'text/xml'].includes(media.type) && isR4(media);
}

/** Whether a content type is that of a form in UTF-8. https://url.spec.whatwg.org/#application/x-www-form-urlencoded */
export function isForm(contentType: string): boolean {
  const media = parseMediaType(contentType);
  return media.type === 'application/x-www-form-urlencoded' && isUnicode(media);
}

const isR4 = (media: MediaType): boolean =>
  isUnicode(media) && ['4.0', '4.0.1'].includes(media.parameter('fhirversion') ?? '4.0');

const isUnicode = (media: MediaType): boolean => ['utf-8', 'utf8'].includes(media.parameter('charset') ?? 'utf-8');

/**
 * The media types of patches: JSON Patch, FHIRPath Patch and JSON Merge Patch. https://hl7.org/fhir/R4/http.html#patch,
 * https://build.fhir.org/http.html#patch
 */
export const patchFormats = [
  'application/json-patch+json',
  'application/fhir+json',
  'application/merge-patch+json',
] as const;

/** The media types of patches as bodies: a FHIRPath Patch may also be XML. */
export const servedPatchFormats: readonly string[] = [...patchFormats, 'application/fhir+xml'];

export type PatchFormat = (typeof patchFormats)[number];

/** The format of a patch with a content type; undefined for any other type. */
export function patchFormatOf(contentType: string): PatchFormat | undefined {
  if (isFhirJson(contentType)) return 'application/fhir+json';
  const media = parseMediaType(contentType);
  const format = patchFormats.find(one => one === media.type && one !== 'application/fhir+json');
  return isUnicode(media) ? format : undefined;
}

/** Whether a text is a media type with its parameters. https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 */
export const isMediaType = (text: string): boolean =>
  text.length <= 255 &&
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: ?; ?[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/.test(text);

/** Whether a text has an `&` that does not begin an entity. */
export function hasBareAmpersand(text: string): boolean {
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (take(text, at, anyEntity) === undefined) return true;
  return false;
}

/** The text with `&amp;` for each `&` that begins no entity. */
export const withoutBareAmpersands = (text: string): string =>
  text.replace(/&(?!#\d{1,7};|#x[0-9A-Fa-f]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)/g, '&amp;');

/**
 * An entity that XML does not define: it has five, and numeric character references.
 * https://hl7.org/fhir/R4/narrative.html#xhtml, https://www.w3.org/TR/xml/#sec-predefined-ent
 */
export function unknownEntity(text: string): string | undefined {
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    const entity = take(text, at, anyEntity);
    if (entity !== undefined && !isOfXml(entity)) return entity;
  }
  return undefined;
}

/** Whether a text has characters that XML 1.0 does not have. https://www.w3.org/TR/xml/#charsets */
export const isBeyond = (text: string): boolean => beyond.test(text);

// oxlint-disable-next-line no-control-regex
const beyond = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u;

const anyEntity = /&(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/y;
const namedEntities: ReadonlySet<string> = new Set(['&amp;', '&lt;', '&gt;', '&quot;', '&apos;']);

function isOfXml(entity: string): boolean {
  if (entity[1] !== '#') return namedEntities.has(entity);
  const digits = entity.slice(2, -1);
  const code = digits.startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  return code <= 0x10ffff && (code > 0xffff || !isBeyond(String.fromCharCode(code)));
}

/** The match of a sticky pattern at a position of a text. */
export function take(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

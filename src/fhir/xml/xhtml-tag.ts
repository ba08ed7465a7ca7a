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
function take(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The start or end of an element. */
export interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly selfClosing: boolean;
  /** Values as written, with entities. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** The position behind its `>`. */
  readonly end: number;
}

/** Most attributes of one element. */
export const mostAttributes = 64;

/** Reads the tag that begins at a `<`; what is wrong with it, as the end of a sentence, if it is not well-formed. */
export function readTag(text: string, start: number): Tag | string {
  const closing = text.charAt(start + 1) === '/';
  const name = take(text, start + (closing ? 2 : 1), /[A-Za-z][A-Za-z0-9]{0,20}/y);
  if (name === undefined) return 'has a `<` that begins no element; write `&lt;`';
  let at = start + (closing ? 2 : 1) + name.length;
  const attributes: (readonly [string, string])[] = [];
  for (;;) {
    const space = take(text, at, /[ \t\r\n]+/y)?.length ?? 0;
    at += space;
    if (text.charAt(at) === '>') return { name, closing, selfClosing: false, attributes, end: at + 1 };
    if (text.startsWith('/>', at)) return { name, closing, selfClosing: true, attributes, end: at + 2 };
    const attribute = take(text, at, /[A-Za-z_:][\w:.-]{0,60}/y);
    if (attribute === undefined || closing || space === 0) return `has a \`${name}\` that is not well-formed`;
    at += attribute.length;
    const equals = take(text, at, /[ \t\r\n]{0,20}=[ \t\r\n]{0,20}/y);
    const quote = equals === undefined ? '' : text.charAt(at + equals.length);
    const from = at + (equals?.length ?? 0) + 1;
    const to = quote === '"' || quote === "'" ? text.indexOf(quote, from) : -1;
    if (to === -1) return `has an attribute \`${attribute}\` without a value in quotes`;
    const value = text.slice(from, to);
    if (value.includes('<')) return `has a \`<\` in the attribute \`${attribute}\``;
    const entity = unknownEntity(value);
    if (entity !== undefined) return noEntity(entity);
    if (attributes.length === mostAttributes) return `has more than ${mostAttributes} attributes on \`${name}\``;
    if (attributes.some(([known]) => known === attribute))
      return `has the attribute \`${attribute}\` twice on \`${name}\``;
    attributes.push([attribute, value]);
    at = to + 1;
  }
}

/** An entity that XML does not have, as the end of a sentence. */
export const noEntity = (entity: string): string =>
  `has \`${entity}\`, which XML does not have; write the character itself or its number, such as \`&#160;\``;

import { take, unknownEntity } from './xhtml-text.ts';

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

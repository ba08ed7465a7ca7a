import { withoutEntities } from '../fhir/xml-text.ts';

/**
 * The texts of a narrative without its markup: one for each block (a paragraph, a cell, an item of a list), so that no
 * phrase continues from one to the next. Attributes and comments are not text. What is no valid XHTML is read as text.
 * https://hl7.org/fhir/R4/narrative.html#xhtml
 */
export function narrativeTexts(div: string): readonly string[] {
  const texts: string[] = [];
  let text = '';
  for (let at = 0; at < div.length;) {
    const open = div.indexOf('<', at);
    text += withoutEntities(div.slice(at, open === -1 ? div.length : open));
    if (open === -1) break;
    const tag = readTag(div, open);
    at = tag.end;
    if (inline.has(tag.name)) continue;
    if (spaces.has(tag.name)) text += ' ';
    else {
      texts.push(text);
      text = '';
    }
  }
  return [...texts, text].filter(one => one.trim() !== '');
}

/** Elements that may be a part of a word. */
const inline: ReadonlySet<string> = new Set(
  ',a,abbr,acronym,b,bdo,big,cite,code,dfn,em,i,kbd,q,s,samp,small,span,strong,sub,sup,tt,u,var'.split(','),
);

/** Elements between words of one text; the name of a `<` that begins no element is a space. */
const spaces: ReadonlySet<string> = new Set(['br', 'img', ' ']);

/** The name of the element that a tag begins or ends, in lower case, and the end of the tag; empty for a comment. */
function readTag(text: string, open: number): { readonly name: string; readonly end: number } {
  if (text.startsWith('<!--', open)) {
    const close = text.indexOf('-->', open + 4);
    return { name: '', end: close === -1 ? text.length : close + 3 };
  }
  tagName.lastIndex = open;
  const name = tagName.exec(text)?.[1];
  const end = name === undefined ? -1 : endOfTag(text, open + 1);
  return name === undefined || end === -1 ? { name: ' ', end: open + 1 } : { name: name.toLowerCase(), end };
}

const tagName = /<\/?([A-Za-z][A-Za-z0-9]{0,20})(?=[\s/>])/y;

/** The position behind the `>` of a tag; -1 if it has none. A `>` in the value of an attribute does not end it. */
function endOfTag(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '>') return at + 1;
    if (letter === '<') return -1;
    if (letter !== '"' && letter !== "'") continue;
    at = text.indexOf(letter, at + 1);
    if (at === -1) return -1;
  }
  return -1;
}

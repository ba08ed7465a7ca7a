import { hasBareAmpersand, isBeyond, noEntity, readTag, unknownEntity } from './xhtml-tag.ts';
import type { Tag } from './xhtml-tag.ts';

/** The result of checking a narrative: the formal error, as the end of a sentence, and whether it has content. */
export interface Xhtml {
  readonly wrong: string | undefined;
  readonly content: boolean;
}

/**
 * Checks a narrative in one pass: well-formed XHTML of one `div`, with the elements and attributes that R4 allows, and
 * some content. https://hl7.org/fhir/R4/narrative.html#xhtml
 */
export function checkXhtml(text: string): Xhtml {
  const seen = { content: false };
  const wrong = formOf(text, seen);
  return { wrong, content: seen.content };
}

function formOf(text: string, seen: { content: boolean }): string | undefined {
  const open: string[] = [];
  let begun = false;
  let at = text.search(/[^ \t\r\n]/);
  if (at === -1) return 'is empty';
  if (isBeyond(text)) return 'has a character that XML does not have';
  if (!/^<div[ \t\r\n/>]/.test(text.slice(at, at + 5))) return 'does not begin with `<div`';
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const end = next === -1 ? text.length : next;
    if (end > at) {
      const between = text.slice(at, end);
      const blank = /^[ \t\r\n]*$/.test(between);
      if (!blank && open.length === 0) return 'has text after its `div`';
      seen.content ||= !blank;
      if (hasBareAmpersand(between)) return 'has an `&` that begins no entity; write `&amp;`';
      if (between.includes(']]>')) return 'has `]]>`; write `]]&gt;`';
      const entity = unknownEntity(between);
      if (entity !== undefined) return noEntity(entity);
    }
    if (next === -1) break;
    if (text.startsWith('<!--', next)) {
      const close = text.indexOf('-->', next + 4);
      if (close === -1) return 'has a comment that is not closed';
      const dashes = text.indexOf('--', next + 4);
      if (dashes !== close) return 'has `--` in a comment';
      at = close + 3;
      continue;
    }
    const tag = readTag(text, next);
    if (typeof tag === 'string') return tag;
    at = tag.end;
    if (tag.closing) {
      const last = open.pop();
      if (last !== tag.name)
        return `closes \`${tag.name}\` where ${last === undefined ? 'nothing' : `\`${last}\``} is open`;
      continue;
    }
    if (open.length === 0 && begun) return 'has content after its `div`';
    begun = true;
    seen.content ||= tag.name === 'img' || tag.name === 'hr';
    const wrong = checkTag(tag, open.length === 0);
    if (wrong !== undefined) return wrong;
    if (!tag.selfClosing) open.push(tag.name);
    if (open.length > 200) return 'is nested too deeply';
  }
  if (open.length > 0) return `leaves \`${open.at(-1)}\` open`;
  return undefined;
}

function checkTag({ name, attributes }: Tag, root: boolean): string | undefined {
  if (!elements.has(name)) return `has the element \`${name}\`, which a narrative may not have`;
  for (const [attribute, value] of attributes) {
    if (attribute === 'xmlns') {
      if (value !== 'http://www.w3.org/1999/xhtml') return `has another namespace than that of XHTML`;
      continue;
    }
    if (/^xml:[a-z]+$/.test(attribute)) continue;
    if (/^xmlns:(?!xml)[A-Za-z_][\w.-]*$/.test(attribute) && value !== '' && !ofXml.test(value)) continue;
    if (!everywhere.has(attribute) && allowed[name]?.includes(attribute) !== true)
      return `has the attribute \`${attribute}\` on \`${name}\`, which a narrative may not have`;
    if ((attribute === 'href' || attribute === 'src') && /^\s*(javascript|vbscript):/i.test(value))
      return `has a link that would run a script`;
  }
  if (root && !attributes.some(([attribute]) => attribute === 'xmlns'))
    return 'lacks `xmlns="http://www.w3.org/1999/xhtml"`';
  return undefined;
}

/** Namespaces that no prefix may have begin so. https://www.w3.org/TR/xml-names/#ns-decl */
const ofXml = /^http:\/\/www\.w3\.org\/(XML\/1998|2000\/xmlns)/;

const elements: ReadonlySet<string> = new Set(
  `p br div h1 h2 h3 h4 h5 h6 a span b em i strong small big tt dfn q var abbr acronym cite blockquote hr address bdo
  kbd code samp img map area pre sub sup ul ol li dl dt dd table caption colgroup col thead tr tfoot tbody th td u
  del ins s strike center font`.split(/\s+/),
);

const everywhere: ReadonlySet<string> = new Set(
  `title style class id lang dir accesskey tabindex span width align valign char charoff abbr axis headers scope
  rowspan colspan`.split(/\s+/),
);

/** Attributes of single elements. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'name', 'rel', 'rev', 'charset', 'type', 'hreflang', 'target'],
  img: ['src', 'height', 'alt', 'longdesc', 'usemap', 'ismap', 'border'],
  map: ['name'],
  area: ['shape', 'coords', 'href', 'alt', 'nohref'],
  q: ['cite'],
  blockquote: ['cite'],
  del: ['cite', 'datetime'],
  ins: ['cite', 'datetime'],
  table: ['border', 'frame', 'rules', 'cellpadding', 'cellspacing', 'summary', 'bgcolor'],
  tr: ['bgcolor'],
  td: ['nowrap', 'bgcolor', 'height'],
  th: ['nowrap', 'bgcolor', 'height'],
  br: ['clear'],
  hr: ['size', 'noshade'],
  ol: ['type', 'start', 'compact'],
  ul: ['type', 'compact'],
  li: ['type', 'value'],
  pre: [],
  font: ['color', 'size', 'face'],
};

import { asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { checkXhtml } from '../../fhir/xml/xhtml.ts';
import { readTag } from '../../fhir/xml/xhtml-tag.ts';
import type { Tag } from '../../fhir/xml/xhtml-tag.ts';
import { withoutEntities } from '../../fhir/xml-text.ts';
import { escapeText, Html, html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import { safeLink } from './view.ts';
import type { RecordView } from './view.ts';

/**
 * The narrative of a record, rebuilt from the elements and attributes of an allow-list: no styles, ids, scripts or
 * pictures, and links to http, https, mailto and tel only. A narrative that is not valid XHTML of R4 is not shown.
 * https://hl7.org/fhir/R4/narrative.html#security
 */
export function narrative(text: JsonObject, { texts }: Pick<RecordView, 'texts'>): Markup {
  const div = asString(text['div']);
  if (div === undefined) return undefined;
  const problem = div.length > mostCharacters ? texts.narrativeTooLong : texts.narrativeRejected;
  const clean = div.length > mostCharacters ? undefined : sanitizeNarrative(div);
  return html`<section class="narrative">
    <h2>${texts.narrative}${badge(asString(text['status']), 'en')}</h2>
    ${clean ?? html`<p class="hint">${problem}</p>`}
  </section>`;
}

/** Longest narrative that is shown. */
const mostCharacters = 40_000;

/** Undefined for a text that is not a valid narrative. */
export function sanitizeNarrative(div: string): Html | undefined {
  if (checkXhtml(div).wrong !== undefined) return undefined;
  let clean = '';
  for (let at = 0; at < div.length;) {
    const next = div.indexOf('<', at);
    clean += escapeText(withoutEntities(div.slice(at, next === -1 ? undefined : next)));
    if (next === -1) break;
    if (div.startsWith('<!--', next)) {
      at = div.indexOf('-->', next + 4) + 3;
      continue;
    }
    const tag = readTag(div, next);
    if (typeof tag === 'string') return undefined;
    clean += printTag(tag);
    at = tag.end;
  }
  return new Html(clean);
}

/** An element of the narrative, by one of HTML; pictures are replaced by their description. */
function printTag({ name, closing, selfClosing, attributes }: Tag): string {
  if (name === 'img') return closing ? '' : escapeText(attribute(attributes, 'alt') ?? '');
  const element = replaced[name] ?? (shown.has(name) ? name : 'span');
  if (empty.has(name)) return closing ? '' : `<${element}>`;
  if (closing) return `</${element}>`;
  const kept = attributes.flatMap(([attributeName, value]) => printAttribute(name, attributeName, value));
  return `<${[element, ...kept].join(' ')}>${selfClosing ? `</${element}>` : ''}`;
}

const attribute = (attributes: Tag['attributes'], name: string): string | undefined => {
  const found = attributes.find(([key]) => key === name)?.[1];
  return found === undefined ? undefined : withoutEntities(found);
};

function printAttribute(element: string, name: string, written: string): readonly string[] {
  const value = withoutEntities(written);
  if (name === 'href') {
    const href = element === 'a' ? safeLink(value) : undefined;
    return href === undefined ? [] : [`href="${escapeText(href)}"`, 'rel="noreferrer noopener external"'];
  }
  return attributesOf[name]?.test(value) === true ? [`${name}="${escapeText(value)}"`] : [];
}

/** The attributes that are shown, with the form of their values. */
const attributesOf: Readonly<Record<string, RegExp>> = {
  title: /^/,
  abbr: /^/,
  lang: /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/,
  dir: /^(?:ltr|rtl)$/,
  colspan: /^[1-9]\d?$/,
  rowspan: /^[1-9]\d{0,2}$/,
  scope: /^(?:row|col|rowgroup|colgroup)$/,
  start: /^\d{1,6}$/,
};

const empty: ReadonlySet<string> = new Set(['br', 'hr', 'col']);

/** Headings would change the outline of the page. */
const replaced: Readonly<Record<string, string>> = {
  h1: 'p',
  h2: 'p',
  h3: 'p',
  h4: 'p',
  h5: 'p',
  h6: 'p',
  acronym: 'abbr',
  strike: 's',
  tt: 'code',
  center: 'div',
};

const shown: ReadonlySet<string> = new Set(
  `p br div a span b em i strong small dfn q var abbr cite blockquote hr address bdo kbd code samp pre sub sup ul ol li
  dl dt dd table caption colgroup col thead tr tfoot tbody th td u del ins s`.split(/\s+/),
);

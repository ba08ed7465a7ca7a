import { decimalText } from '../../fhir/json.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import { isObject } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { XmlError } from '../../fhir/xml/error.ts';
import { xmlParts } from '../../fhir/xml/print-parts.ts';
import { withoutEntities } from '../../fhir/xml-text.ts';
import { linked } from './values/primitive.ts';
import { linkOf } from './view.ts';
import type { RecordView } from './view.ts';

/** What the views of texts need. */
export type TextView = Pick<RecordView, 'model' | 'base' | 'self' | 'record' | 'texts'>;

/** The forms of a text on a page. */
export type TextFormat = 'json' | 'xml';

/** The form that a page shows by `_view`; undefined for a table or a sheet. */
export function formatOf(options: URLSearchParams): TextFormat | undefined {
  const view = options.get('_view');
  return view === 'json' || view === 'xml' ? view : undefined;
}

/** A JSON text in one of the forms. */
export const textView = (
  format: TextFormat,
  answer: Pick<ParsedJson, 'value' | 'decimals'> & { readonly text: string },
  view: TextView,
): Html => (format === 'json' ? jsonView(answer, view) : xmlView(answer.text, view));

/**
 * A JSON text in lines of two spaces, with the digits as written; references to records of this partition, and URLs
 * below its base, are links. A longer text is cut, with a note.
 */
export function jsonView({ value, decimals }: Pick<ParsedJson, 'value' | 'decimals'>, view: TextView): Html {
  const lines: Markup[] = [];
  let length = 0;
  let isCut = false;
  const add = (...parts: readonly Markup[]): void => {
    length += parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 100), 0);
    isCut ||= length > mostCharacters;
    if (!isCut) lines.push(...parts);
  };
  const print = (one: unknown, owner: object, key: string | number, indent: string): void => {
    if (isCut) return;
    if (typeof one === 'number') return add(decimalText(decimals, owner, key, one));
    if (typeof one === 'string') return add(printText(one, key, view));
    if (Array.isArray(one)) return list(one, indent);
    if (isObject(one)) return list(one, indent);
    add(JSON.stringify(one));
  };
  const list = (of: object, indent: string): void => {
    const isArray = Array.isArray(of);
    const entries = Object.entries(of);
    const inner = `${indent}  `;
    if (entries.length === 0) return add(isArray ? '[]' : '{}');
    add(isArray ? '[' : '{');
    for (const [at, [name, one]] of entries.entries()) {
      add(`${at === 0 ? '' : ','}\n${inner}${isArray ? '' : `${JSON.stringify(name)}: `}`);
      print(one, of, isArray ? at : name, inner);
    }
    add(`\n${indent}${isArray ? ']' : '}'}`);
  };
  print(value, {}, '', '');
  return html`<pre class="json" tabindex="0"><code>${lines}</code></pre>
    ${isCut && html`<p class="hint">${view.texts.cut}</p>`}`;
}

/** Longest text on a page. */
export const mostCharacters = 60_000;

/** The properties whose text is a reference or an address. */
const addresses: ReadonlySet<string | number> = new Set(['reference', 'fullUrl', 'url']);

/** The link to what a reference or an address names, if it is of this partition. */
export const linkOfAddress = (view: TextView, text: string): string | undefined =>
  linkOf(view, text) ?? (text.startsWith(`${view.base}/`) ? view.record(text.slice(view.base.length + 1)) : undefined);

function printText(text: string, key: string | number, view: TextView): Markup {
  const href = addresses.has(key) ? linkOfAddress(view, text) : undefined;
  const printed = JSON.stringify(text);
  return href === undefined ? printed : html`"${linked(printed.slice(1, -1), href)}"`;
}

/**
 * A JSON text as XML, with a line for each element; what is an address in the view of JSON is a link here too. A longer
 * text is cut, with a note, and so is one with something that XML cannot have. https://hl7.org/fhir/R4/xml.html
 */
export function xmlView(text: string, view: TextView): Html {
  let shown = '';
  let failure: XmlError | undefined;
  try {
    for (const part of xmlParts(text, view.model.definitions, { pretty: true })) {
      shown += part;
      if (shown.length > mostCharacters) break;
    }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    failure = error;
  }
  const isCut = shown.length > mostCharacters;
  const lines = isCut ? shown.slice(0, shown.lastIndexOf('\n', mostCharacters)) : shown;
  // Texts and values of addresses in turn.
  const parts = lines.trimEnd().split(/(?<=<(?:reference|fullUrl|url) value=")([^"]*)(?=")/);
  const { cutXml, notInXml } = view.texts;
  const why =
    failure !== undefined && html`<p class="hint">${notInXml} <code>${failure.path}</code>: ${failure.message}</p>`;
  return html`${lines !== '' && html`<pre class="json" tabindex="0"><code>${parts.map(linkedPart(view))}</code></pre>`}
  ${isCut && html`<p class="hint">${cutXml}</p>`} ${why}`;
}

const linkedPart =
  (view: TextView) =>
  (text: string, at: number): Markup =>
    at % 2 === 0 ? text : linked(text, linkOfAddress(view, withoutEntities(text)));

import type { ParsedJson } from '../../fhir/json.ts';
import { XmlError } from '../../fhir/xml/error.ts';
import { xmlParts } from '../../fhir/xml/print-parts.ts';
import { withoutEntities } from '../../fhir/xml-text.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { jsonView, linkOfAddress, mostCharacters } from './json-view.ts';
import type { TextView } from './json-view.ts';
import { linked } from './values/primitive.ts';

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

import { decimalText } from '../../../fhir/json.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import type { ElementDefinition } from '../../../model/element.ts';
import { html } from '../../../pages/html.ts';
import type { Html, Markup } from '../../../pages/html.ts';
import { locales } from '../../../pages/language.ts';
import { inEnglish } from '../../definition/label.ts';
import { linkOf, safeLink } from '../view.ts';
import type { RecordView } from '../view.ts';
import { timeElement } from '../../../pages/time-text.ts';

/** A primitive value and where it is. */
export interface PrimitiveValue {
  readonly value: unknown;
  /** FHIR type code. */
  readonly type: string;
  readonly element: ElementDefinition;
  readonly owner: object;
  readonly key: string | number;
}

/** A primitive value for people: dates in the language, the display of codes, digits as written, links as links. */
export function printPrimitive(given: PrimitiveValue, view: RecordView): Markup {
  const { value, type, owner, key } = given;
  if (typeof value === 'boolean') return value ? view.texts.yes : view.texts.no;
  if (typeof value === 'number') return decimalText(view.decimals, owner, key, value);
  if (typeof value !== 'string') return value === null || value === undefined ? undefined : JSON.stringify(value);
  switch (type) {
    case 'date':
    case 'dateTime':
    case 'instant':
      return timeElement(value, view.language);
    case 'code':
      return codeText(given, value, view);
    case 'base64Binary':
      return value.length <= 100 ? html`<code>${value}</code>` : sizeText(Math.floor((value.length * 3) / 4), view);
    case 'uri':
    case 'url':
    case 'canonical':
      return linked(value, linkOf(view, value) ?? safeLink(value));
    default:
      return longText(value, view);
  }
}

/** A text with its line breaks; a longer one is cut, since the JSON of the record has all of it. */
export function longText(text: string, { texts }: Pick<RecordView, 'texts'>): Markup {
  const cut = text.length > mostCharacters && html` <small>… ${texts.rest}</small>`;
  const shown = cut === false ? text : text.slice(0, mostCharacters);
  return shown.includes('\n') || cut !== false ? html`<span class="lines">${shown}</span>${cut}` : shown;
}

/** Longest text on a sheet. */
const mostCharacters = 2000;

/** A text as a link, if it has an address; one to another site reveals nothing of this one. */
export function linked(text: string, href: string | undefined): Markup {
  if (href === undefined) return text;
  if (/^[/#]/.test(href)) return html`<a href="${href}">${text}</a>`;
  return html`<a href="${href}" rel="noreferrer noopener external">${text}</a>`;
}

/** The display of a code in its code system, and the code, if they differ by more than case. */
function codeText({ element }: PrimitiveValue, code: string, view: RecordView): Markup {
  const valueSet = element.binding?.valueSet;
  const system = valueSet === undefined ? undefined : view.model.valueSetSystem(valueSet);
  return codeWithDisplay(code, system, view);
}

/** A code of a system with its loaded display, which is English. */
export function codeWithDisplay(code: string, system: string | undefined, view: RecordView): Markup {
  const display = system === undefined ? undefined : view.system(system)?.concept(code)?.display;
  if (display === undefined || display.toLowerCase() === code.toLowerCase()) return html`<code>${code}</code>`;
  return html`${inEnglish(display, view.language)} <code>${code}</code>`;
}

/** A number of bytes: `12 kB`. */
export function sizeText(bytes: number, { language }: Pick<RecordView, 'language'>): string {
  const [value, unit] =
    bytes < 1000 ? [bytes, 'byte'] : bytes < 1e6 ? [bytes / 1000, 'kilobyte'] : [bytes / 1e6, 'megabyte'];
  const options = { style: 'unit', unit, maximumFractionDigits: value < 10 && unit !== 'byte' ? 1 : 0 } as const;
  return new Intl.NumberFormat(locales[language], options).format(value);
}

/** The text of a property that the definitions do not know: its JSON. */
export const printUnknown = (value: unknown): Html => html`<code>${JSON.stringify(value).slice(0, 500)}</code>`;

/** The texts of a list of strings, joined. */
export const joined = (of: JsonObject, name: string, between = ' '): string => {
  const value = of[name];
  return (Array.isArray(value) ? value : [value]).filter(one => typeof one === 'string').join(between);
};

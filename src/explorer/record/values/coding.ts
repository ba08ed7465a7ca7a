import { asObject, asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { html } from '../../../pages/html.ts';
import type { Html, Markup } from '../../../pages/html.ts';
import type { Printer, RecordView } from '../view.ts';
import { codeWithDisplay } from './primitive.ts';

/** https://hl7.org/fhir/R4/datatypes.html#Coding */
export const coding: Printer = {
  shows: ['system', 'version', 'code', 'display', 'userSelected'],
  print: (value, view) => html`${codingText(value, view)}${codeOf(value)}`,
};

/** The text, and the codings below it. https://hl7.org/fhir/R4/datatypes.html#CodeableConcept */
export const codeableConcept: Printer = {
  shows: ['text', 'coding'],
  print(value, view) {
    const text = asString(value['text']);
    const codings = objectsOf(value['coding']);
    const [only] = codings;
    if (only !== undefined && codings.length === 1 && (text === undefined || text === only['display']))
      return coding.print(only, view, '');
    return html`${text}${
      codings.length > 0 &&
      html`<ul class="codings">
        ${codings.map(one => html`<li>${coding.print(one, view, '')}</li>`)}
      </ul>`
    }`;
  },
};

function codingText({ display, code, system }: JsonObject, view: RecordView): Markup {
  if (typeof display === 'string') return display;
  return typeof code === 'string' ? codeWithDisplay(code, asString(system), view) : undefined;
}

/** The code where the display hides it, and the system. */
function codeOf({ display, code, system, version }: JsonObject): Html {
  const shown = typeof display === 'string' && typeof code === 'string' ? html` <code>${code}</code>` : undefined;
  const name = [asString(system), asString(version)].filter(part => part !== undefined).join('|');
  return html`${shown}${name !== '' && html` <small class="system">${name}</small>`}`;
}

/** The text of a concept for titles and tables: its text, else a display, else a code; undefined without any. */
export function conceptText(value: unknown, { system }: Pick<RecordView, 'system'>): string | undefined {
  const concept = asObject(value);
  const codings = [concept, ...objectsOf(concept['coding'])];
  const display = codings.map(one => asString(one['display'])).find(one => one !== undefined);
  const known = codings.map(one => {
    const [url, code] = [asString(one['system']), asString(one['code'])];
    return url === undefined || code === undefined ? undefined : system(url)?.concept(code)?.display;
  });
  const code = codings.map(one => asString(one['code'])).find(one => one !== undefined);
  return asString(concept['text']) ?? display ?? known.find(one => one !== undefined) ?? code;
}

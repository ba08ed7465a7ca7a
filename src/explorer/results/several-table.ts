import { asObject, asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import { typeName } from '../../pages/type-name.ts';
import { timeElement } from '../record/values/time.ts';
import type { RecordView } from '../record/view.ts';
import { table } from '../../pages/parts.ts';
import { recordLink } from './table.ts';
import type { ResultsTexts } from './texts.ts';

/** Longest table, in characters of HTML. */
const mostCharacters = 70_000;

/** Records of several types as a table: each by its title, with its type and the time of its last change. */
export function severalTable(records: readonly JsonObject[], view: RecordView, texts: ResultsTexts): Html {
  const shown: Html[] = [];
  let left = mostCharacters;
  for (const one of records) {
    const type = asString(one['resourceType']) ?? '';
    const time = asString(asObject(one['meta'])['lastUpdated']);
    const isStored = asString(one['id']) !== undefined;
    const row = html`<tr>
      <th scope="row">${isStored ? recordLink(one, view) : type}</th>
      <td>${typeName(view.model, type, view.language)}</td>
      <td>${time !== undefined && timeElement(time, view.language)}</td>
    </tr>`;
    left -= row.text.length;
    if (left < 0) break;
    shown.push(row);
  }
  return html`${table(texts.several, [texts.record, texts.type, texts.changed], shown)}
  ${shown.length < records.length && html`<p class="hint">${texts.cut(shown.length)}</p>`}`;
}

import { asObject, asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { inLanguage } from '../definition/label.ts';
import { marksOf, printMarks, recordTitle } from '../record/title.ts';
import { timeElement } from '../../pages/time-text.ts';
import type { RecordView } from '../record/view.ts';
import type { ElementDefinition, ElementType } from '../../model/element.ts';
import { printers } from '../record/values/index.ts';
import { printPrimitive } from '../record/values/primitive.ts';
import type { PrimitiveValue } from '../record/values/primitive.ts';
import { typeName } from '../../pages/type-name.ts';
import { table } from '../../pages/parts.ts';
import { changed } from './columns.ts';
import type { Column } from './columns.ts';
import type { ResultLinks } from './links.ts';
import type { ResultsTexts } from './texts.ts';

/** Longest table, in characters of HTML: the page stays small, whatever the number of records on it. */
const mostCharacters = 70_000;

/**
 * Matches as a table: each record by its title, with the columns. A column with a sort is a link that sorts by it. Of a
 * long table the beginning is shown, with a note.
 */
export function resultsTable(
  matches: readonly JsonObject[],
  type: string,
  columns: readonly Column[],
  {
    view,
    links,
    texts,
    sort,
  }: {
    readonly view: RecordView;
    readonly links: ResultLinks;
    readonly texts: ResultsTexts;
    /** The value of `_sort`. */
    readonly sort: string;
  },
): Html {
  const heading = (column: Column): Html => {
    const label = columnLabel(column, type, view, texts);
    if (column.sort === undefined) return html`<th scope="col">${label}</th>`;
    const order = sort === column.sort ? 'ascending' : sort === `-${column.sort}` ? 'descending' : undefined;
    const next = order === 'ascending' ? `-${column.sort}` : column.sort;
    const mark = order === undefined ? '' : order === 'ascending' ? ' ▲' : ' ▼';
    const name = html`${label}${mark !== '' && html`<span aria-hidden="true">${mark}</span>`}`;
    const href = links.sorted(next);
    return html`<th scope="col" ${order !== undefined && html` aria-sort="${order}"`}>
      ${href === undefined ? name : html`<a href="${href}">${name}</a>`}
    </th>`;
  };
  const { shown, note } = firstRows(
    matches,
    match =>
      html`<tr>
        <th scope="row">${recordLink(match, view)}</th>
        ${columns.map(column => html`<td>${valueOf(match, column, view)}</td>`)}
      </tr>`,
    texts,
  );
  const headings = [texts.record, ...columns.map(heading)];
  return html`${table(texts.title(type), headings, shown, { kind: 'wide-table' })}${note}`;
}

/** Records of several types as a table: each by its title, with its type and the time of its last change. */
export function severalTable(records: readonly JsonObject[], view: RecordView, texts: ResultsTexts): Html {
  const { shown, note } = firstRows(
    records,
    one => {
      const type = asString(one['resourceType']) ?? '';
      const isStored = asString(one['id']) !== undefined;
      return html`<tr>
        <th scope="row">${isStored ? recordLink(one, view) : type}</th>
        <td>${typeName(view.model, type, view.language)}</td>
        <td>${changeTime(one, view)}</td>
      </tr>`;
    },
    texts,
  );
  return html`${table(texts.several, [texts.record, texts.type, texts.changed], shown)}${note}`;
}

/** The rows of the first records, as many as the page may have, and a note if there are more. */
function firstRows(
  records: readonly JsonObject[],
  rowOf: (record: JsonObject) => Html,
  texts: ResultsTexts,
): { readonly shown: readonly Html[]; readonly note: Markup } {
  const shown: Html[] = [];
  let left = mostCharacters;
  for (const record of records) {
    const row = rowOf(record);
    left -= row.text.length;
    if (left < 0) break;
    shown.push(row);
  }
  return { shown, note: shown.length < records.length && html`<p class="hint">${texts.cut(shown.length)}</p>` };
}

/** A link to a record by its title, or by its id, with its marks. */
export function recordLink(resource: JsonObject, view: RecordView): Markup {
  const target = `${asString(resource['resourceType']) ?? ''}/${asString(resource['id']) ?? ''}`;
  return html`<a href="${view.record(target)}"><bdi>${recordTitle(resource, view) ?? asString(resource['id'])}</bdi></a
    >${printMarks(marksOf(resource, view))}`;
}

/** The heading of a column in the language of the page. */
export const columnLabel = ({ name }: Column, type: string, view: RecordView, texts: ResultsTexts): Markup =>
  name === changed ? texts.changed : inLanguage(view.labelOf(`${type}.${name}`), view.language);

const valueOf = (resource: JsonObject, { element }: Column, view: RecordView): Markup =>
  element === undefined ? changeTime(resource, view) : cell(resource, element, view);

function changeTime(resource: JsonObject, { language }: RecordView): Markup {
  const time = asString(asObject(resource['meta'])['lastUpdated']);
  return time !== undefined && timeElement(time, language);
}

/** Most values of a list in a cell. */
const most = 3;

/** The value of an element in a cell: the first values of a list, those of a backbone element by its first parts. */
function cell(resource: JsonObject, element: ElementDefinition, view: RecordView): Markup {
  for (const type of element.types) {
    const value = resource[type.property];
    if (value === undefined) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const owner = Array.isArray(value) ? value : resource;
    const shown = values.slice(0, most).map((one, at) => {
      const key = Array.isArray(value) ? at : type.property;
      return html`<div>${print(one, type, { element, owner, key }, view)}</div>`;
    });
    return html`${shown}${values.length > most && html`<div class="hint">+ ${values.length - most}</div>`}`;
  }
  return undefined;
}

function print(
  value: unknown,
  { code, content }: ElementType,
  place: Omit<PrimitiveValue, 'value' | 'type'>,
  view: RecordView,
): Markup {
  if (!isObject(value)) return printPrimitive({ value, type: code, ...place }, view);
  const printer = printers.get(code);
  if (printer !== undefined) return printer.print(value, view, place.element.name);
  const parts = [...((content ?? view.model.definitions.get(code))?.elements.values() ?? [])].filter(
    ({ name }) => name !== 'id' && name !== 'extension' && name !== 'modifierExtension',
  );
  const filled = parts.filter(({ types }) => types.some(({ property }) => value[property] !== undefined));
  return filled.slice(0, 2).map(part => html`<span>${cell(value, part, view)}</span> `);
}

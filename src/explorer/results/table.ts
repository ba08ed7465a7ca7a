import { asObject, asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { inLanguage } from '../definition/in-language.ts';
import { marksOf, printMarks, recordTitle } from '../record/title.ts';
import { timeElement } from '../record/values/time.ts';
import type { RecordView } from '../record/view.ts';
import { cell } from './cell.ts';
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
  const shown: Html[] = [];
  let left = mostCharacters;
  for (const match of matches) {
    const row = html`<tr>
      <th scope="row">${recordLink(match, view)}</th>
      ${columns.map(column => html`<td>${valueOf(match, column, view)}</td>`)}
    </tr>`;
    left -= row.text.length;
    if (left < 0) break;
    shown.push(row);
  }
  return html`<div class="wide-table" tabindex="0" role="region" aria-label="${texts.title(type)}">
      <table>
        <thead>
          <tr>
            <th scope="col">${texts.record}</th>
            ${columns.map(heading)}
          </tr>
        </thead>
        <tbody>
          ${shown}
        </tbody>
      </table>
    </div>
    ${shown.length < matches.length && html`<p class="hint">${texts.cut(shown.length)}</p>`}`;
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

function valueOf(resource: JsonObject, { element }: Column, view: RecordView): Markup {
  if (element !== undefined) return cell(resource, element, view);
  const time = asString(asObject(resource['meta'])['lastUpdated']);
  return time === undefined ? undefined : timeElement(time, view.language);
}

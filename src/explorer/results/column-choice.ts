import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import type { ResourceType } from '../../model/model.ts';
import type { RecordView } from '../record/view.ts';
import type { Visit } from '../shell/visit.ts';
import { columnsOf } from './columns.ts';
import type { Column } from './columns.ts';
import { columnLabel } from './table.ts';
import { isLaterPage, searchOption } from './search-of.ts';
import type { ShownSearch } from './search-of.ts';
import type { ResultsTexts } from './texts.ts';

/** The form that chooses the columns, and repeats the search. */
export function columnChoice(
  { record, target, query }: Visit,
  search: ShownSearch | undefined,
  type: ResourceType,
  shown: readonly Column[],
  view: RecordView,
  texts: ResultsTexts,
): Html {
  const names = new Set(shown.map(({ name }) => name));
  const [path = ''] = target.split('?');
  const box = (column: Column): Html => {
    const id = `column-${column.name}`;
    return html`<div class="tick">
      <input
        type="checkbox"
        id="${id}"
        name="_columns"
        value="${column.name}"
        ${names.has(column.name) && html` checked`}
      />
      <label for="${id}">${columnLabel(column, type.name, view, texts)}</label>
    </div>`;
  };
  return html`<details class="choices">
    <summary>${texts.columns}</summary>
    <form method="get" action="${record(path)}">
      ${[...query, ...(isLaterPage(query) ? searchOption(search) : [])].map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <fieldset class="ticks">
        <legend class="unseen">${texts.columns}</legend>
        ${columnsOf(type).map(box)}
      </fieldset>
      <div class="go"><button class="quiet">${texts.show}</button></div>
    </form>
  </details>`;
}

import { html } from '../../pages/html.ts';
import type { Html, Part } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { scrollTable } from '../shell/table.ts';
import { numberText } from '../patient/tick-text.ts';
import type { IndexRow } from './index-rows.ts';
import { indexTexts } from './texts.ts';

/** One line for each type: its records and how many of its indexes are ready, with a link to them. */
export function summaryTable(
  rows: readonly IndexRow[],
  { language, link }: { readonly language: Language; readonly link: (type: string) => string },
): Html {
  const texts = indexTexts[language];
  const types = [...Map.groupBy(rows, ({ type }) => type)];
  return scrollTable(
    texts.summary,
    [texts.type, texts.records, texts.state, texts.searches],
    types.map(([type, of]) => {
      const pending = of.filter(isPending).length;
      const state = pending === 0 ? texts.ready : texts.somePending(of.length - pending, pending);
      return html`<tr>
        <th scope="row"><a href="${link(type)}">${type}</a></th>
        <td class="number">${numberText(Math.max(0, ...of.map(({ state: one }) => one?.of ?? 0)), language)}</td>
        <td>${state}</td>
        <td class="number">${sum(of, language)}</td>
      </tr>`;
    }),
  );
}

const sum = (rows: readonly IndexRow[], language: Language): string =>
  numberText(
    rows.reduce((total, { searches }) => total + searches, 0),
    language,
  );

export const isPending = ({ state }: IndexRow): boolean => state?.state === 'pending';

/** One line for each index: its state and progress, and its use. */
export function indexTable(rows: readonly IndexRow[], language: Language): Html {
  const texts = indexTexts[language];
  const headings = [texts.index, texts.state, texts.searches, texts.sorts, texts.last];
  return scrollTable(
    texts.indexes,
    headings,
    rows.map(
      row =>
        html`<tr>
          <th scope="row"><code>${row.type}?${row.code}</code></th>
          <td>${stateText(row, language)}</td>
          <td class="number">${numberText(row.searches, language)}</td>
          <td class="number">${row.sorts === undefined ? '–' : numberText(row.sorts, language)}</td>
          <td>${row.last ?? texts.never}</td>
        </tr>`,
    ),
  );
}

function stateText({ state, type, code }: IndexRow, language: Language): Part {
  const texts = indexTexts[language];
  if (state === undefined) return texts.pair;
  if (state.state === 'ready') return texts.ready;
  const [done, of] = [numberText(state.done, language), numberText(state.of, language)];
  const label = `${type}?${code}`;
  return html`${texts.pending}
    <progress max="${Math.max(1, state.of)}" value="${state.done}" aria-label="${label}"></progress>
    ${texts.progress(done, of)}`;
}

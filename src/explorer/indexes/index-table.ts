import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { table } from '../../pages/parts.ts';
import { numberText } from '../patient/scale.ts';
import { sizeText } from '../record/values/primitive.ts';
import type { DatabaseIndex } from '../../store/port/indexes.ts';
import type { IndexRow } from './index-rows.ts';
import { indexTexts } from './texts.ts';
import { Recent } from './recent.ts';

/**
 * One line for each type: its records, how many of its indexes are ready, and their size if the store knows it by type,
 * with a link to them.
 */
export function summaryTable(
  rows: readonly IndexRow[],
  {
    language,
    link,
    sizes = [],
  }: {
    readonly language: Language;
    readonly link: (type: string) => string;
    readonly sizes?: readonly DatabaseIndex[];
  },
): Html {
  const texts = indexTexts[language];
  const byType = Map.groupBy(sizes, typeOf);
  const areByType = [...byType.keys()].some(type => type !== undefined);
  const types = [...Map.groupBy(rows, ({ type }) => type)];
  return table(
    texts.summary,
    [texts.type, texts.records, texts.state, texts.searches, ...(areByType ? [texts.size] : [])],
    types.map(([type, of]) => {
      const pending = of.filter(isPending).length;
      const state = pending === 0 ? texts.ready : texts.somePending(of.length - pending, pending);
      return html`<tr>
        <th scope="row"><a href="${link(type)}">${type}</a></th>
        <td class="number">${numberText(Math.max(0, ...of.map(({ state: one }) => one?.of ?? 0)), language)}</td>
        <td>${state}</td>
        <td class="number">${sum(of, language)}</td>
        ${areByType && html`<td class="number">${bytesText(total(byType.get(type) ?? []), language)}</td>`}
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
  return table(
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

/** One line for each database index with its size, the largest first. */
export const sizeTable = (sizes: readonly DatabaseIndex[], language: Language): Html =>
  table(
    indexTexts[language].sizes,
    [indexTexts[language].index, indexTexts[language].size],
    sizes
      .toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0))
      .map(
        ({ collection, name, bytes }) =>
          html`<tr>
            <th scope="row"><code>${collection === name ? name : `${collection}.${name}`}</code></th>
            <td class="number">${bytesText(bytes, language)}</td>
          </tr>`,
      ),
  );

const bytesText = (bytes: number | undefined, language: Language): string =>
  bytes === undefined ? '–' : sizeText(bytes, { language });

function stateText({ state, type, code }: IndexRow, language: Language): Markup {
  const texts = indexTexts[language];
  if (state === undefined) return texts.pair;
  if (state.state === 'ready') return texts.ready;
  const [done, of] = [numberText(state.done, language), numberText(state.of, language)];
  const label = `${type}?${code}`;
  return html`${texts.pending}
    <progress max="${Math.max(1, state.of)}" value="${state.done}" aria-label="${label}"></progress>
    ${texts.progress(done, of)}`;
}

/** All indexes of the database of a store with their sizes and states. */
export interface Sizes {
  readonly of: readonly DatabaseIndex[];
  /** When they were measured, in milliseconds since 1970 UTC. */
  readonly at: number;
}

export const sizes = new Recent<readonly DatabaseIndex[]>(10 * 60_000);

/** The resource type of a collection of records or versions; undefined for a table of all types. */
export const typeOf = ({ collection }: DatabaseIndex): string | undefined =>
  /^[A-Z]/.test(collection) ? collection.split('.')[0] : undefined;

/** The bytes of indexes together; undefined if none was measured. */
export function total(of: readonly DatabaseIndex[]): number | undefined {
  const known = of.flatMap(({ bytes }) => bytes ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, bytes) => sum + bytes, 0);
}

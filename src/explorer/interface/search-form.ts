import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { sortKindOf } from '../../search/sort-value.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { QueryPair } from '../../search/request.ts';
import type { Visit } from '../shell/visit.ts';
import { formFields } from './fields.ts';
import { fieldSet } from './search-field.ts';
import { texts } from './texts.ts';
import type { InterfaceTexts } from './texts.ts';

/** The form of a type's search: a field for each search parameter, then order, page size and included records. */
export function searchForm(visit: Visit, type: ResourceType): Html {
  const { engine, link, place, options, language } = visit;
  const words = texts[language];
  const query = parsePairs(options.toString());
  const fields = formFields(engine.model, type, query);
  const base = `/explorer/${place?.partition.id ?? ''}`;
  return html`<h2>${words.search(type.name)}</h2>
    <p class="hint">${words.searchHint}</p>
    <form class="query-form" method="get" action="${link(`${base}/types/${type.name}/search`)}">
      <div class="fields">${fields.map(field => fieldSet(field, words, link(`${base}/suggest`)))}</div>
      ${includes(type, query, words)}
      <div class="fields">
        ${order(type, valueOf(query, '_sort'), words)} ${count(type, valueOf(query, '_count'), words)}
      </div>
      <div class="go"><button>${words.submit}</button></div>
    </form>`;
}

const valueOf = (query: readonly QueryPair[], name: string): string => query.find(([key]) => key === name)?.[1] ?? '';

function order({ parameters, sortIndexes }: ResourceType, chosen: string, words: InterfaceTexts): Html {
  const sortable = [...parameters.values()].filter(param => sortKindOf(param) !== undefined);
  const indexed = sortable.filter(({ type, code }) => type === 'date' || sortIndexes.has(code));
  const codes = [...new Set(['_lastUpdated', ...[...indexed, ...sortable].map(({ code }) => code)])];
  const option = (value: string, text: string): Html =>
    html`<option value="${value}" ${value === chosen && html` selected`}>${text}</option>`;
  return html`<div class="field">
    <label for="_sort">${words.order}</label>
    <select id="_sort" name="_sort">
      ${option('', words.newest)}
      ${codes.map(code => [option(code, words.ascending(code)), option(`-${code}`, words.descending(code))])}
    </select>
  </div>`;
}

const count = ({ pageSize }: ResourceType, chosen: string, words: InterfaceTexts): Html =>
  html`<div class="field">
    <label for="_count">${words.count}</label>
    <input
      type="number"
      id="_count"
      name="_count"
      min="1"
      max="${pageSize.max}"
      placeholder="${pageSize.default}"
      value="${chosen}"
    />
  </div>`;

function includes(
  { includes: { forward, reverse } }: ResourceType,
  query: readonly QueryPair[],
  words: InterfaceTexts,
): Markup {
  const all = [
    ...[...forward].map(value => ['_include', value] as const),
    ...[...reverse].map(value => ['_revinclude', value] as const),
  ];
  if (all.length === 0) return undefined;
  const box = ([name, value]: readonly [string, string], at: number): Html => {
    const isChosen = query.some(([key, given]) => key === name && given === value);
    return html`<div class="tick">
      <input type="checkbox" id="include-${at}" name="${name}" value="${value}" ${isChosen && html` checked`} />
      <label for="include-${at}"><code>${name}=${value}</code></label>
    </div>`;
  };
  return html`<details class="choices">
    <summary>${words.including}</summary>
    <fieldset class="ticks">
      <legend class="unseen">${words.included}</legend>
      ${all.map(box)}
    </fieldset>
  </details>`;
}

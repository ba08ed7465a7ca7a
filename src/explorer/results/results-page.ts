import { mayExplain } from '../../auth/explain.ts';
import { parseJson } from '../../fhir/json.ts';
import { asObject, asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { tabs, tickBox } from '../../pages/parts.ts';
import type { PageTab } from '../../pages/parts.ts';
import { typeTitle } from '../../pages/type-name.ts';
import { codeSamples } from '../interface/code-samples.ts';
import { formatOf, textView } from '../record/text-view.ts';
import type { TextFormat } from '../record/text-view.ts';
import { viewOf } from '../record/open-view.ts';
import type { QueryPair } from '../../search/request.ts';
import type { RecordView } from '../record/view.ts';
import type { InterfaceAnswer } from '../shell/ask.ts';
import { notShown } from '../shell/not-shown.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { columnsOf, shownColumns } from './columns.ts';
import type { Column } from './columns.ts';
import { isLaterPage, resultLinks, searchOf, searchOption } from './links.ts';
import type { ResultLinks, ShownSearch } from './links.ts';
import { columnLabel, recordLink, resultsTable, severalTable } from './table.ts';
import { texts } from './texts.ts';
import type { ResultsTexts } from './texts.ts';

/**
 * The results of a search, of one type or of several, or of an operation that returns a Bundle, whose `given` answer is
 * known: as a table, as JSON (`_view=json`), or as XML (`_view=xml`).
 */
export async function resultsPage(visit: Visit, given?: InterfaceAnswer): Promise<Reply> {
  const { ask, target, params, language, engine, options } = visit;
  const answer = given ?? (await ask(target));
  const parsed = parseJson(answer.text);
  const bundle = asObject(parsed.value);
  const type = engine.model.types.get(params['type'] ?? '');
  const view = viewOf(visit, type?.profile === undefined ? [] : [type.profile], parsed.decimals);
  const words = texts[language];
  const search = searchOf(visit);
  const links = resultLinks(visit, bundle, search);
  const isBundle = bundle['resourceType'] === 'Bundle';
  const format = formatOf(options) ?? (isBundle ? undefined : 'json');
  const query = search?.query ?? [];
  const sort = query.find(([name]) => name === '_sort')?.[1] ?? '';
  const columns = type === undefined ? [] : shownColumns(type, query, options.getAll('_columns'));
  const matches = resourcesOf(bundle, 'match');
  const title = words.title(
    type === undefined ? (target.split('?')[0] ?? '') : typeTitle(engine.model, type.name, language),
  );
  const content =
    format !== undefined
      ? textView(format, { ...parsed, text: answer.text }, view)
      : type === undefined
        ? html`${matches.length > 0 && severalTable(matches, view, words)} ${included(bundle, view, words)}`
        : html`${columnChoice(visit, search, type, columns, view, words)}
          ${matches.length > 0 && resultsTable(matches, type.name, columns, { view, links, texts: words, sort })}
          ${included(bundle, view, words)}`;
  return {
    kind: 'page',
    title,
    status: answer.status,
    styles: ['record.css'],
    scripts: ['explorer.js'],
    body: html`<div class="card">
      <h1>${title}</h1>
      <p class="query"><code>GET ${search?.target ?? target}</code></p>
      ${isBundle && views(visit, search, links, format, words)} ${notes(bundle, words)}
      ${type === undefined && isBundle && notShown(visit, searchedTypes(visit, query))}
      ${isBundle && html`<p role="status">${count(bundle, matches.length, words)}</p>`} ${content}
      ${paging(links, words)} ${codeSamples(visit, search?.target ?? target)}
    </div>`,
  };
}

/** The types of a search of several: those of `_type`, else those of the compartment or all that can be searched. */
function searchedTypes({ engine, params }: Visit, query: readonly QueryPair[]): readonly ResourceType[] {
  const named = query.find(([name]) => name === '_type')?.[1].split(',');
  const { owner = '' } = params;
  return [...engine.model.types.values()].filter(
    ({ name, interactions, compartmentLinks }) =>
      interactions.has('search-type') &&
      (named?.includes(name) ?? (owner === '' || name === owner || compartmentLinks.has(owner))),
  );
}

function resourcesOf(bundle: JsonObject, mode: string): readonly JsonObject[] {
  return objectsOf(bundle['entry']).flatMap(({ resource, search }) =>
    isObject(resource) && (asString(asObject(search)['mode']) ?? 'match') === mode ? [resource] : [],
  );
}

function count(bundle: JsonObject, shown: number, words: ResultsTexts): string {
  const { total } = bundle;
  const all = typeof total === 'number' ? total : undefined;
  return shown === 0 && (all ?? 0) === 0 ? words.none : words.shown(shown, all);
}

function views(
  { params: { type: name = '' }, engine, access, pageLink }: Visit,
  search: ShownSearch | undefined,
  links: ResultLinks,
  format: TextFormat | undefined,
  words: ResultsTexts,
): Html {
  const query = new URLSearchParams(search?.query.map(([name, value]) => [name, value])).toString();
  const isExplained = access !== undefined && mayExplain(access, engine.model.explainScopes, name);
  const explained = (of: ShownSearch): string => new URLSearchParams({ query: of.target }).toString();
  const others = [
    { href: pageLink(`types/${name}?${query}`), text: words.form, isCurrent: false },
    ...(search !== undefined && isExplained
      ? [{ href: pageLink(`explain?${explained(search)}`), text: words.explain, isCurrent: false }]
      : []),
  ];
  return tabs(words.views, [
    ...formatTabs(view => links.view(view), words.table, format, words),
    ...(engine.model.types.has(name) ? others : []),
  ]);
}

/** The links to a table or a sheet (`usual`), to JSON and to XML; `href` makes the link of a view. */
export const formatTabs = (
  href: (view: string) => string,
  usual: string,
  format: TextFormat | undefined,
  { json, xml }: ResultsTexts,
): readonly PageTab[] => [
  { href: href(''), text: usual, isCurrent: format === undefined },
  { href: href('json'), text: json, isCurrent: format === 'json' },
  { href: href('xml'), text: xml, isCurrent: format === 'xml' },
];

/** The form that chooses the columns, and repeats the search. */
function columnChoice(
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
    return tickBox(
      { id, name: '_columns', value: column.name, isTicked: names.has(column.name) },
      columnLabel(column, type.name, view, texts),
    );
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

/** The issues of an OperationOutcome among the entries. */
function notes(bundle: JsonObject, words: ResultsTexts): Markup {
  const issues = resourcesOf(bundle, 'outcome').flatMap(({ issue }) => objectsOf(issue));
  if (issues.length === 0) return undefined;
  return html`<h2>${words.notes}</h2>
    <ul>
      ${issues.map(({ diagnostics }) => html`<li lang="en">${asString(diagnostics)}</li>`)}
    </ul>`;
}

/** Most included records that are listed. */
const mostIncluded = 100;

function included(bundle: JsonObject, view: RecordView, words: ResultsTexts): Markup {
  const records = resourcesOf(bundle, 'include').slice(0, mostIncluded);
  if (records.length === 0) return undefined;
  return html`<h2>${words.included}</h2>
    <ul>
      ${records.map(one => html`<li>${asString(one['resourceType'])} ${recordLink(one, view)}</li>`)}
    </ul>`;
}

function paging(links: ResultLinks, words: ResultsTexts): Markup {
  const pages = (['first', 'previous', 'next'] as const).flatMap(relation => {
    const href = links.page(relation) ?? (relation === 'first' ? links.first : undefined);
    return href === undefined ? [] : [html`<li><a href="${href}" rel="${relation}">${words[relation]}</a></li>`];
  });
  if (links.first === undefined && links.page('next') === undefined && links.page('previous') === undefined)
    return undefined;
  return html`<nav class="paging" aria-label="${words.paging}">
    <ul>
      ${pages}
    </ul>
  </nav>`;
}

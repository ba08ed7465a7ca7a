import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { badge, table } from '../../pages/parts.ts';
import { resultLinks } from '../results/links.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { timeElement } from '../../pages/time-text.ts';
import { textsOf } from './view.ts';
import type { RecordView } from './view.ts';
import { recordTabs } from './open-view.ts';

/** The history of a record, of a type or of the whole partition, page by page. */
export async function versionsPage(visit: Visit): Promise<Reply> {
  const { params, ask, target, language, engine, record, query } = visit;
  const { json, status } = await ask(target);
  const { type: name, id } = params;
  const texts = textsOf(language);
  const type = engine.model.types.get(name ?? '');
  const title = [texts.versions, ...(name === undefined ? [] : [id === undefined ? name : `${name}/${id}`])].join(
    ' – ',
  );
  const isLater = query.some(([parameter]) => parameter === '_page_token');
  const of = id === undefined ? 'several' : isLater ? 'older' : 'newest';
  const next = resultLinks(visit, json, undefined).page('next');
  return {
    kind: 'page',
    title,
    status,
    styles: ['record.css'],
    body: html`<div class="card">
      <h1><bdi>${title}</bdi></h1>
      ${type !== undefined && id !== undefined && recordTabs(visit, type, id, 'versions')}
      ${versionsTable(json, of, { language, texts, record })}
      ${next !== undefined && html`<p><a href="${next}" rel="next">${texts.older}</a></p>`}
    </div>`,
  };
}

/** What the table of versions needs. */
export type VersionsView = Pick<RecordView, 'language' | 'texts' | 'record'>;

/**
 * The versions in the Bundle of a history, newest first, each with a link to the version; deletions have none. `of`:
 * the history of one record (a page of it that begins with the current version, or a later one), or of several.
 * https://hl7.org/fhir/R4/http.html#history
 */
export function versionsTable(history: JsonObject, of: 'newest' | 'older' | 'several', view: VersionsView): Html {
  const { texts } = view;
  const headings = [...(of === 'several' ? [texts.sheet] : []), texts.version, texts.change, texts.changed];
  const rows = objectsOf(history['entry']).map((entry, at) =>
    versionRow(entry, { isCurrent: of === 'newest' && at === 0, isNamed: of === 'several' }, view),
  );
  return table(texts.versions, headings, rows);
}

function versionRow(
  entry: JsonObject,
  { isCurrent, isNamed }: { readonly isCurrent: boolean; readonly isNamed: boolean },
  { record, language, texts }: VersionsView,
): Html {
  const [request, response, resource] = ['request', 'response', 'resource'].map(name => asObject(entry[name]));
  const meta = asObject(resource?.['meta']);
  const method = asString(request?.['method']) ?? '';
  const version = asString(meta['versionId']) ?? /^W\/"(.*)"$/.exec(asString(response?.['etag']) ?? '')?.[1] ?? '';
  const time = asString(meta['lastUpdated']) ?? asString(response?.['lastModified']);
  const [type, id] = [asString(resource?.['resourceType']), asString(resource?.['id'])];
  const href = type === undefined || id === undefined ? undefined : record(`${type}/${id}/_history/${version}`);
  const change: Markup = isChange(method) ? texts.changes[method] : method;
  const own = /(?:^|\/)([A-Za-z]+\/[^/]+)$/.exec(asString(request?.['url']) ?? asString(entry['fullUrl']) ?? '')?.[1];
  const name = type === undefined || id === undefined ? own : `${type}/${id}`;
  return html`<tr>
    ${isNamed && html`<td>${name !== undefined && html`<a href="${record(name)}">${name}</a>`}</td>`}
    <th scope="row">
      ${href === undefined ? version : html`<a href="${href}">${version}</a>`}${isCurrent && badge(texts.current)}
    </th>
    <td>${change}</td>
    <td>${time === undefined ? texts.noTime : timeElement(time, language)}</td>
  </tr>`;
}

const isChange = (method: string): method is 'POST' | 'PUT' | 'PATCH' | 'DELETE' =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method);

import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { table } from '../../pages/parts.ts';
import { timeElement } from './values/time.ts';
import type { RecordView } from './view.ts';

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
      ${href === undefined ? version : html`<a href="${href}">${version}</a>`}${
        isCurrent && html` <span class="tag">${texts.current}</span>`
      }
    </th>
    <td>${change}</td>
    <td>${time === undefined ? texts.noTime : timeElement(time, language)}</td>
  </tr>`;
}

const isChange = (method: string): method is 'POST' | 'PUT' | 'PATCH' | 'DELETE' =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method);

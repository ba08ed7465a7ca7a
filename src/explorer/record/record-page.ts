import { parseJson } from '../../fhir/json.ts';
import { asObject, asString, isObject, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { validateInTurn } from '../../interaction/write/client-context.ts';
import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { severityOfRule } from '../../validation/policy.ts';
import type { InterfaceAnswer } from '../shell/ask.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { fhirError } from '../../fhir/error.ts';
import { createFindings, findingsOf, printFindings } from './findings.ts';
import { jsonView, xmlView } from './text-view.ts';
import { recordTabs, viewOf } from './open-view.ts';
import type { Tab } from './open-view.ts';
import { recordSheet } from './sheet.ts';
import { marksOf, printMarks, recordTitle } from './title.ts';
import type { RecordView } from './view.ts';
import { pictureTypes } from './values/other.ts';

/**
 * A record or one of its versions: as a sheet, with the findings of its validation (`_view=check`), as JSON
 * (`_view=json`), or as XML (`_view=xml`).
 */
export async function recordPage(visit: Visit): Promise<Reply> {
  const answer = await visit.ask(visit.target);
  const { value, decimals } = parseJson(answer.text);
  const resource = asObject(value);
  const type = visit.engine.model.types.get(String(resource['resourceType']));
  const given = viewOf(visit, profilesOf(resource, type), decimals);
  const view = { ...given, pictureLink: pictureLink(visit, resource) };
  const tab = tabOf(visit);
  if (tab === 'json') return page(visit, answer, resource, view, tab, jsonView({ value, decimals }, view));
  if (tab === 'xml') return page(visit, answer, resource, view, tab, xmlView(answer.text, view));
  if (tab === 'sheet' || type === undefined)
    return page(visit, answer, resource, view, 'sheet', recordSheet(resource, view));
  const issues = await validateInTurn(visit.engine, type, { value, decimals }, severityOfRule(type, true));
  const checked = { ...view, findings: createFindings(findingsOf(issues)) };
  const sheet = recordSheet(resource, checked);
  const { findings, noFindings, otherFindings } = view.texts;
  const rest = checked.findings.rest();
  const summary = html`<p class="${issues.length > 0 && 'found'}" role="status">
      ${issues.length === 0 ? noFindings : findings(issues.length)}
    </p>
    ${rest.length > 0 && html`<h2>${otherFindings}</h2>`} ${printFindings(rest, view.texts)}`;
  return page(visit, answer, resource, view, tab, html`${summary}${sheet}`);
}

const tabOf = ({ options }: Visit): Tab => {
  const view = options.get('_view');
  return view === 'json' || view === 'xml' || view === 'check' ? view : 'sheet';
};

/** The profiles that the record claims, and those of its type. */
function profilesOf(resource: JsonObject, type: ResourceType | undefined): readonly string[] {
  const claimed = stringsOf(asObject(resource['meta'])['profile']);
  return [...claimed, ...(type?.profile === undefined ? [] : [type.profile]), ...(type?.supportedProfiles ?? [])];
}

/** Pictures have a URL of their own, so that the page stays small. */
function pictureLink({ pageLink }: Visit, resource: JsonObject): (at: string) => string {
  const version = asString(asObject(resource['meta'])['versionId']) ?? '';
  const own = `${String(resource['resourceType'])}/${asString(resource['id']) ?? ''}`;
  return at => pageLink(`picture/${own}?${new URLSearchParams({ at, version }).toString()}`);
}

function page(
  visit: Visit,
  { response }: InterfaceAnswer,
  resource: JsonObject,
  view: RecordView,
  tab: Tab,
  content: Html,
): Reply {
  const { params, engine, record } = visit;
  const { model, texts } = view;
  const [name, id] = [String(resource['resourceType']), asString(resource['id'])];
  const type = model.types.get(name);
  const own = id === undefined ? name : `${name}/${id}`;
  const title = recordTitle(resource, view) ?? own;
  const version = params['version'];
  const list: Markup = engine.model.types.get(name)?.interactions.has('search-type') === true && record(name);
  return {
    kind: 'page',
    title: title === own ? own : `${title} – ${own}`,
    status: response.status,
    styles: ['record.css'],
    body: html`<div class="card">
      <p class="crumbs">${typeof list === 'string' ? html`<a href="${list}">${name}</a>` : name} / ${id}</p>
      <h1><bdi>${title}</bdi>${printMarks(marksOf(resource, view))}</h1>
      ${type !== undefined && id !== undefined && recordTabs(visit, type, id, version === undefined ? tab : undefined)}
      ${version !== undefined && html`<p class="hint">${texts.oldVersion(version)}</p>`} ${content}
    </div>`,
  };
}

/**
 * The bytes of a picture in a record that the visitor may read: `at` is its place, such as `Patient.photo[0]`. Throws
 * FhirError 404 if there is no picture at the place.
 */
export async function picturePage({ ask, params, options, engine }: Visit): Promise<Reply> {
  const { type: name = '', id = '' } = params;
  const version = options.get('version') ?? '';
  const isRead = version !== '' && engine.model.types.get(name)?.interactions.has('vread') === true;
  const { json } = await ask(`${name}/${id}${isRead ? `/_history/${encodeURIComponent(version)}` : ''}`);
  const [, ...steps] = (options.get('at') ?? '').split(/[.[\]]+/).filter(Boolean);
  let found: unknown = json;
  for (const step of steps) {
    const value: unknown = Array.isArray(found) || isObject(found) ? Reflect.get(found, step) : undefined;
    found = isObject(value) || Array.isArray(value) ? value : undefined;
  }
  const { contentType, data } = isObject(found) ? found : {};
  const type = typeof contentType === 'string' ? contentType.toLowerCase() : '';
  if (typeof data !== 'string' || !pictureTypes.has(type))
    throw fhirError(404, 'not-found', 'The record has no picture at this place.');
  return { kind: 'bytes', type, bytes: Buffer.from(data, 'base64') };
}

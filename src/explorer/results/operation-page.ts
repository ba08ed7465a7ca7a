import { parseJson } from '../../fhir/json.ts';
import { asObject } from '../../fhir/json-object.ts';
import { routeOfPath } from '../../interaction/routes.ts';
import { operationCallOf } from '../../model/operation-call.ts';
import { html } from '../../pages/html.ts';
import { tabs } from '../../pages/parts.ts';
import { typeName } from '../../pages/type-name.ts';
import { formatOf, textView } from '../record/text-view.ts';
import { viewOf } from '../record/open-view.ts';
import { recordSheet } from '../record/sheet.ts';
import { textsOf } from '../record/view.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { formatTabs, resultsPage } from './results-page.ts';
import { texts } from './texts.ts';

/**
 * The answer of an operation that a browser may call: a Bundle as results, another resource as a sheet, or as JSON
 * (`_view=json`). It is no stored record, so that it has no versions and no other views of one. An operation that
 * starts a job leads to the form of exports.
 * https://hl7.org/fhir/R4/operations.html#response
 */
export async function operationPage(visit: Visit): Promise<Reply> {
  const { target, options, language, engine, record, params } = visit;
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const call = operationCallOf(engine.model, routeOfPath(engine.model, 'GET', path, query));
  // A link never starts a job: a form of this server does.
  if (call?.startsJob === true) return { kind: 'see', path: `/explorer/${params['partition'] ?? ''}/exports` };
  const answer = await visit.ask(target);
  const parsed = parseJson(answer.text);
  const resource = asObject(parsed.value);
  if (resource['resourceType'] === 'Bundle') return resultsPage(visit, answer);
  const [words, names] = [texts[language], textsOf(language)];
  const view = viewOf(visit, [], parsed.decimals);
  const format = formatOf(options);
  const code = path.slice(path.lastIndexOf('/') + 1);
  const type = engine.model.types.get(params['type'] ?? '') ?? engine.model.types.get(params['owner'] ?? '');
  const title = type === undefined ? code : `${code} – ${typeName(engine.model, type.name, language)}`;
  const to = (name: string): string => record(withOption(target, name));
  return {
    kind: 'page',
    title,
    status: answer.status,
    styles: ['record.css'],
    body: html`<div class="card">
      <h1><bdi>${title}</bdi></h1>
      <p class="query"><code>GET ${target}</code></p>
      ${tabs(words.views, formatTabs(to, names.sheet, format, words))}
      <p class="hint">${words.answer}</p>
      ${format === undefined ? recordSheet(resource, view) : textView(format, { ...parsed, text: answer.text }, view)}
    </div>`,
  };
}

const withOption = (target: string, view: string): string =>
  view === '' ? target : `${target}${target.includes('?') ? '&' : '?'}_view=${view}`;

/** True for the last segment of the path of an operation. */
export const isOperation = (segment: string | undefined): boolean => segment?.startsWith('$') === true;

import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { typeName } from '../../pages/type-name.ts';
import type { ResourceType } from '../../model/model.ts';
import { table } from '../../pages/parts.ts';
import { resultsPage } from '../results/results-page.ts';
import { filterTypes } from '../shell/type-filter.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { texts } from './texts.ts';
import type { InterfaceTexts } from './texts.ts';

/** The base URL: the interface, or the results of a search of the whole system. */
export async function basePage(visit: Visit): Promise<Reply> {
  return visit.query.length === 0 ? interfacePage(visit) : resultsPage(visit);
}

/** The declared types with their interactions, operations on the whole system, and the documents for programs. */
export function interfacePage(visit: Visit): Reply {
  const { engine, language, place, link } = visit;
  const { model } = engine;
  const words = texts[language];
  const { shown, filter } = filterTypes(visit, [...model.types.values()], link(`/r4/${place?.partition.id ?? ''}`));
  const operations = [...model.systemOperations.keys()];
  return {
    kind: 'page',
    title: words.title,
    body: html`<div class="card">
        <h1>${words.title}</h1>
        <p class="lead">${words.lead(model.types.size)}</p>
        ${filter}
        ${table(
          words.title,
          [words.type, words.interactions, words.parameters],
          shown.map(type => row(visit, type)),
          { kind: 'wide-table' },
        )}
        ${list(words.system, [...model.systemInteractions, ...operations.map(code => `$${code}`)])}
      </div>
      ${documents(visit, words)}`,
  };
}

function row(
  { engine, pageLink, language }: Visit,
  { name, interactions, operations, parameters }: ResourceType,
): Html {
  const own = typeName(engine.model, name, language);
  const codes = [...interactions, ...[...operations.keys()].map(code => `$${code}`)];
  return html`<tr>
    <th scope="row">
      <a href="${pageLink(`types/${name}`)}">${name}</a>${own !== name && html`<div class="hint">${own}</div>`}
    </th>
    <td>${codes.join(', ')}</td>
    <td>${parameters.size}</td>
  </tr>`;
}

/** A heading with codes; nothing without any. */
export const list = (heading: string, codes: readonly Markup[]): Markup =>
  codes.length > 0 &&
  html`<h2>${heading}</h2>
    <ul class="codes">
      ${codes.map(code => html`<li><code>${code}</code></li>`)}
    </ul>`;

/** These links name JSON, since a browser would get a page. */
function documents({ record, engine }: Visit, words: InterfaceTexts): Html {
  const links: readonly (readonly [string, string])[] = [
    [record('metadata?_format=json'), words.statement],
    [record('openapi.json'), words.openApi],
    ...(engine.secured ? [[record('.well-known/smart-configuration'), words.smart] as const] : []),
  ];
  return html`<div class="card">
    <h2>${words.documents}</h2>
    <ul>
      ${links.map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`)}
    </ul>
  </div>`;
}

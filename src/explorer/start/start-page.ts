import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { table, textField } from '../../pages/parts.ts';
import { demonstrationOf } from '../shell/parts.ts';
import type { DemonstrationAccounts, DemonstrationParts } from '../shell/parts.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { startTexts } from './texts.ts';

/** The first page: where the records are; in a demonstration queries, launcher and accounts; how to add a type. */
export async function startPage(visit: Visit): Promise<Reply> {
  const { language } = visit;
  const words = startTexts[language];
  const demonstration = await demonstrationOf(visit);
  return {
    kind: 'page',
    title: words.title,
    body: html`<div class="card">
        <h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        <h2>${words.partitions}</h2>
        ${await partitions(visit)}
      </div>
      ${demonstration !== undefined && demonstrationCards(visit, demonstration)} ${addType(visit)}`,
  };
}

/** Leads to the partition that the visitor has typed. */
export const openPartition = ({ options }: Visit): Reply => ({
  kind: 'see',
  path: `/r4/${encodeURIComponent(options.get('partition')?.trim() ?? '')}`,
});

/** The partition of the visitor, or the only one; the ids of several are not public. */
async function partitions({ engine, language, link, place }: Visit): Promise<Markup> {
  const words = startTexts[language];
  const all = engine.secured && place !== undefined ? [place.partition] : await engine.store.partitions.list();
  if (all.length === 1 || !engine.secured)
    return html`<ul>
      ${all.map(({ id }) => html`<li><a href="${link(`/r4/${id}`)}">${id}</a></li>`)}
    </ul>`;
  return html`<form class="search" method="get" action="${link('/explorer/open')}">
    ${textField({
      id: 'partition',
      label: words.partition,
      input: html`type="text" required autocapitalize="none" spellcheck="false"`,
    })}
    <button class="quiet">${words.open}</button>
  </form>`;
}

function demonstrationCards(
  { language, link, engine }: Visit,
  { partition, examples, accounts }: DemonstrationParts,
): Html {
  const words = startTexts[language];
  return html`<div class="card">
      <h2>${words.examples}</h2>
      <p class="hint">${words.examplesHint} ${engine.secured && words.chooseWho}</p>
      <ul>
        ${examples.map(
          path =>
            html`<li>
              <a href="${link(`/r4/${partition}/${path}`)}"><code>${path}</code></a>
            </li>`,
        )}
      </ul>
    </div>
    ${accounts !== undefined && accountsCard({ language, link }, accounts.users)}`;
}

function accountsCard(
  { language, link }: Pick<Visit, 'language' | 'link'>,
  users: DemonstrationAccounts['users'],
): Html {
  const words = startTexts[language];
  return html`<div class="card">
    <h2>${words.launcher}</h2>
    <p>${words.launcherHint} <a href="${link('/auth/launcher')}">${words.launcherLink}</a></p>
    <h2>${words.accounts}</h2>
    ${table(
      words.accounts,
      [words.user, words.name, words.password],
      users.map(
        ({ id, name, password }) =>
          html`<tr>
            <th scope="row"><code>${id}</code></th>
            <td>${name}</td>
            <td><code>${password}</code></td>
          </tr>`,
      ),
      { kind: 'wide-table' },
    )}
  </div>`;
}

function addType({ language }: Visit): Html {
  const { addType, addTypeLead, capability, parameters, profile, addTypeMore } = startTexts[language];
  return html`<div class="card">
    <h2>${addType}</h2>
    <p>${addTypeLead}</p>
    <ul>
      <li><code>capability/*.json</code> – ${capability}</li>
      <li><code>searchparameters/*.json</code> – ${parameters}</li>
      <li><code>profiles/*.json</code> – ${profile}</li>
    </ul>
    <p class="hint">${addTypeMore}</p>
  </div>`;
}

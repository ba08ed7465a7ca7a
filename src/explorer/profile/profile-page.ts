import { isIncomplete } from '../../definitions/definition.ts';
import { fhirError } from '../../fhir/error.ts';
import { asString } from '../../fhir/json-object.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { shorten } from '../../validation/report.ts';
import { badge, table, tabs } from '../../pages/parts.ts';
import { filterTypes } from '../shell/type-filter.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { profileTexts } from './texts.ts';
import { treeOf } from './tree.ts';
import { treeTable } from './tree-table.ts';

/** The most rows of a page. */
const mostRows = 150;

/** The link to the page of a definition of a visit's partition, by its canonical or type name. */
export const profileLink = ({ pageLink }: Visit, canonical: string, more: Readonly<Record<string, string>> = {}) =>
  pageLink(`profile?${new URLSearchParams({ url: canonical, ...more }).toString()}`);

/** The types that are served, with their profiles. */
export function profilesPage(visit: Visit): Reply {
  const { engine, language, pageLink } = visit;
  const texts = profileTexts[language];
  const { model } = engine;
  const linked = (canonical: string): Html => {
    const structure = model.snapshot(canonical)?.structure;
    const name = asString(structure?.['title']) ?? asString(structure?.['name']) ?? canonical;
    const note = structure !== undefined && isIncomplete(structure) && badge(texts.incomplete);
    return html`<a href="${profileLink(visit, canonical)}">${name}</a>${note}`;
  };
  const { shown, filter } = filterTypes(visit, [...model.types.values()], pageLink('profiles'));
  const rows = shown.map(({ name, profile, supportedProfiles }) => {
    const required = profile !== undefined && html`<li>${linked(profile)} <small>${texts.required}</small></li>`;
    return html`<tr>
      <th scope="row"><a href="${profileLink(visit, name)}">${name}</a></th>
      <td>
        <ul class="facts-list">
          ${required} ${supportedProfiles.map(one => html`<li>${linked(one)}</li>`)}
        </ul>
      </td>
    </tr>`;
  });
  return {
    kind: 'page',
    title: texts.title,
    styles: ['record.css', 'definitions.css'],
    body: html`<div class="card">
      <h1>${texts.title}</h1>
      <p class="lead">${texts.lead}</p>
      ${filter} ${table(texts.title, [texts.type, texts.profiles], rows)}
    </div>`,
  };
}

/**
 * A profile or a type as a tree (`url`: its canonical or name): the differences from its base, or all of its elements
 * (`view=snapshot`). Throws FhirError 404 if it is not loaded.
 */
export function profilePage(visit: Visit): Reply {
  const { engine, options, language } = visit;
  const { model } = engine;
  const url = options.get('url') ?? '';
  const snapshot = url === '' ? undefined : model.snapshot(url);
  if (snapshot === undefined)
    throw fhirError(404, 'not-found', `No StructureDefinition \`${shorten(url)}\` is loaded.`, 'http.url');
  const texts = profileTexts[language];
  const { structure } = snapshot;
  const isProfile = structure['derivation'] === 'constraint';
  const view = isProfile && options.get('view') !== 'snapshot' ? 'differential' : 'snapshot';
  const rows = treeOf(snapshot, one => model.snapshot(one), view);
  const from = Math.max(0, Math.trunc(Number(options.get('from')) || 0));
  const shown = rows.slice(from, from + mostRows);
  const isLoaded = (canonical: string): boolean => model.snapshot(canonical) !== undefined;
  const tree = treeTable(shown, {
    language,
    link: canonical => (isLoaded(canonical) ? profileLink(visit, canonical) : undefined),
  });
  const next = profileLink(visit, url, { view, from: String(from + mostRows) });
  const title = asString(structure['title']) ?? asString(structure['name']) ?? url;
  return {
    kind: 'page',
    title,
    styles: ['record.css', 'definitions.css'],
    body: html`<div class="card">
      <p class="crumbs">${url}</p>
      <h1><bdi>${title}</bdi></h1>
      ${about(visit, snapshot)} ${isProfile && views(visit, url, view)}
      ${rows.length > 1 ? tree : html`<p>${texts.nothing}</p>`}
      ${rows.length > from + mostRows && html`<p><a href="${next}">${texts.more}</a></p>`}
    </div>`,
  };
}

/** Its description, its base, and the parts of its differential that could not be applied. */
function about(visit: Visit, { structure, problems }: Snapshot): Markup {
  const texts = profileTexts[visit.language];
  const description = asString(structure['description']);
  const base = asString(structure['baseDefinition']);
  const isKnown = base !== undefined && visit.engine.model.snapshot(base) !== undefined;
  return html`${description !== undefined && html`<p class="lines" lang="en">${description}</p>`}
  ${
    base !== undefined &&
    html`<p class="wrap">${texts.base} ${isKnown ? html`<a href="${profileLink(visit, base)}">${base}</a>` : base}</p>`
  }
  ${
    problems.length > 0 &&
    html`<h2>${texts.problems}</h2>
      <ul>
        ${problems.map(({ element, text }) => html`<li lang="en"><code>${element}</code>: ${text}</li>`)}
      </ul>`
  }`;
}

function views(visit: Visit, url: string, current: 'snapshot' | 'differential'): Html {
  const texts = profileTexts[visit.language];
  return tabs(
    texts.views,
    (['differential', 'snapshot'] as const).map(view => ({
      href: profileLink(visit, url, { view }),
      text: texts[view],
      isCurrent: view === current,
    })),
  );
}

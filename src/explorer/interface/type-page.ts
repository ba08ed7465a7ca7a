import { scopesFor } from '../../auth/may.ts';
import { fhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/reference.ts';
import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';
import { textField } from '../../pages/parts.ts';
import { typeTitle } from '../../pages/type-name.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { profileLink } from '../profile/profile-page.ts';
import { queryOf } from './fields.ts';
import { list } from './interface-page.ts';
import { searchForm } from './search-form.ts';
import { texts } from './texts.ts';

/** A type: the form of its search, filled with the query of the page, and what clients can do with its records. */
export function typePage(visit: Visit): Reply {
  const { language, engine } = visit;
  const type = typeOf(visit);
  const words = texts[language];
  const title = typeTitle(engine.model, type.name, language);
  const profiles = [type.name, ...(type.profile === undefined ? [] : [type.profile]), ...type.supportedProfiles];
  return {
    kind: 'page',
    title,
    scripts: ['explorer.js'],
    body: html`<div class="card">
        <h1>${title}</h1>
        ${type.interactions.has('search-type') ? searchForm(visit, type) : html`<p>${words.changeOnly}</p>`}
        ${type.interactions.has('read') && readForm(visit, type)}
      </div>
      <div class="card">
        ${list(words.interactions, [...type.interactions])}
        ${list(
          words.operations,
          [...type.operations.keys()].map(code => `$${code}`),
        )}
        ${list(
          words.profiles,
          profiles.map(one => html`<a href="${profileLink(visit, one)}">${one}</a>`),
        )}
        ${list(words.scopes, scopesOf(visit, type))}
      </div>`,
  };
}

/** Sends the form on to the URL of the search, or of a record by its id. Throws FhirError 400 for an invalid id. */
export function typeSearch(visit: Visit): Reply {
  const { options, place } = visit;
  const type = typeOf(visit);
  const path = `/r4/${place?.partition.id ?? ''}/${type.name}`;
  const id = options.get('id')?.trim();
  if (id !== undefined) {
    if (!isId(id)) throw fhirError(400, 'value', invalidId(id), 'http.id');
    return { kind: 'see', path: `${path}/${id}` };
  }
  const query = queryOf(type, options).toString();
  return { kind: 'see', path: query === '' ? path : `${path}?${query}` };
}

const invalidId = (id: string): string =>
  `\`${id}\` is not an id: an id has 1 to 64 letters, digits, \`-\` and \`.\`, without accents.`;

/** The declared type that the path names. Throws FhirError 404. */
export function typeOf({ engine, params, place }: Visit): ResourceType {
  const type = engine.model.types.get(params['type'] ?? '');
  if (type === undefined || place === undefined)
    throw fhirError(404, 'not-found', `\`${params['type'] ?? ''}\` is not a type of records here.`);
  return type;
}

/** The scopes of the type; those that allow its search first. */
function scopesOf({ engine }: Visit, type: ResourceType): readonly string[] {
  const enough = scopesFor(engine.model, { interaction: 'search-type', resourceType: type.name }) ?? [];
  return [...new Set([...enough, ...type.smartScopes])];
}

function readForm({ pageLink, language }: Visit, { name }: ResourceType): Markup {
  const words = texts[language];
  return html`<h2>${words.read}</h2>
    <form class="search" method="get" action="${pageLink(`types/${name}/search`)}">
      ${textField({
        id: 'id',
        label: words.readId,
        input: html`type="text" required autocomplete="off" spellcheck="false"`,
      })}
      <button class="quiet">${words.open}</button>
    </form>`;
}

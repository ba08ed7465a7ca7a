import { assetsBelow } from '../../pages/assets.ts';
import { htmlDocument } from '../../pages/document.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import { words } from '../../pages/words.ts';
import { sections } from '../sections.ts';
import { tokenField } from './token-field.ts';
import type { Reply, Visit } from './visit.ts';

/** Style, script and logo of the pages. */
export const assets = assetsBelow('/explorer/assets/');

/** A whole page: the content in the frame of all pages, with the sections of the partition. */
export function frame(
  visit: Visit,
  { title, body, narrow = false, styles = [], scripts = [] }: Reply & { kind: 'page' },
): Html {
  const { parts, language, texts, path, place, user, link, request } = visit;
  const from = request.url ?? path;
  const section = (at: (typeof sections)[number], partition: string): Html => {
    const target = at.path(partition);
    return html`<li>
      <a href="${link(target)}" ${target === path && html` aria-current="page"`}>${texts.sections[at.name]}</a>
    </li>`;
  };
  return htmlDocument({
    language,
    brand: parts.brand,
    assets,
    styles: ['style.css', 'explorer.css', ...styles],
    scripts,
    title,
    body,
    width: narrow ? 'wide' : 'explorer',
    home: link('/'),
    top:
      place !== undefined &&
      html`<nav class="sections" aria-label="${texts.sectionsLabel}">
        <ul>
          ${sections.map(one => section(one, place.partition.id))}
        </ul>
      </nav>`,
    bottom:
      user !== undefined &&
      html`<form class="who" method="post" action="${link('/explorer/sign-out')}">
        ${tokenField(visit)}<bdi>${user}</bdi> · <button class="plain">${words[language].signOut}</button>
      </form>`,
    languageLink: other => link(`/explorer/language?${new URLSearchParams({ to: other, from }).toString()}`),
    link,
  });
}

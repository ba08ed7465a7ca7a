import type { Model } from '../../model/model.ts';
import { assetsBelow } from '../../pages/assets.ts';
import { yearInSeconds } from '../../pages/cookies.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { known } from '../../pages/language.ts';
import { tokenField } from '../../pages/parts.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Navigation, Site } from '../../pages/site.ts';
import { pageTexts } from '../../pages/texts.ts';
import type { ExplorerParts } from './parts.ts';
import { exportLevels } from '../exports/exports-page.ts';
import { localPath } from './paths.ts';
import type { ShellTexts } from './texts.ts';
import type { Visit } from './visit.ts';

/** Style sheets, scripts and logo of the pages. */
export const assets = assetsBelow('/explorer/assets/');

interface Section {
  readonly name: keyof ShellTexts['sections'];
  readonly path: (id: string) => string;
  /** Whether the interface has it; undefined: always. */
  readonly isServed?: (model: Model) => boolean;
}

/** The sections of a partition, in the header of every page. */
const sections: readonly Section[] = [
  { name: 'interface', path: id => `/r4/${id}/metadata` },
  { name: 'profiles', path: id => `/explorer/${id}/profiles` },
  { name: 'indexes', path: id => `/explorer/${id}/indexes` },
  { name: 'explain', path: id => `/explorer/${id}/explain` },
  { name: 'exports', path: id => `/explorer/${id}/exports`, isServed: model => exportLevels(model).length > 0 },
];

/** The frame of the explorer. */
export const explorerSite = ({ publicUrl, brand }: ExplorerParts): Site<Visit> => ({
  publicUrl,
  brand,
  assets,
  styles: ['style.css', 'explorer.css'],
  width: 'full',
  policy: { frameAncestors: [], images: ['data:'], isSeparate: true },
  headers: {
    'Cross-Origin-Resource-Policy': 'same-origin', // no page of another origin reads an answer
    // by which an answer of a FHIR path may differ, and JSON of the same path does
    Vary: 'Accept, Accept-Language, Authorization, Cookie, Origin, Prefer',
  },
  navigation,
});

function navigation(visit: Visit): Navigation {
  const { language, texts, path, place, user, link, request, engine } = visit;
  const from = request.url ?? path;
  const section = ({ name, path: pathOf }: Section, id: string): Html => {
    const target = pathOf(id);
    return html`<li>
      <a href="${link(target)}" ${target === path && html` aria-current="page"`}>${texts.sections[name]}</a>
    </li>`;
  };
  const served = sections.filter(({ isServed }) => isServed?.(engine.model) !== false);
  const top: Markup =
    place !== undefined &&
    html`<nav class="sections" aria-label="${texts.sectionsLabel}">
      <ul>
        ${served.map(one => section(one, place.partition.id))}
      </ul>
    </nav>`;
  const bottom: Markup =
    user !== undefined &&
    html`<form class="who" method="post" action="${link('/explorer/sign-out')}">
      ${tokenField(visit)}<bdi>${user}</bdi> · <button class="plain">${pageTexts[language].signOut}</button>
    </form>`;
  const languageLink: Navigation['languageLink'] = to =>
    link(`/explorer/language?${new URLSearchParams({ to, from }).toString()}`);
  return { home: link('/'), top, bottom, languageLink };
}

/** Sets the language of the pages (`to`) and returns to a page (`from`): FHIR parameters cannot carry it. */
export function languagePage({ cookies, options }: Visit): Reply {
  const language = known(options.get('to'));
  if (language !== undefined) cookies.set('language', language, yearInSeconds);
  return { kind: 'see', path: localPath(options.get('from')) ?? '/' };
}

import { html } from './html.ts';
import type { Html } from './html.ts';
import { languages, locales } from './language.ts';
import type { PageReply } from './reply.ts';
import type { Site } from './site.ts';
import { pageTexts } from './texts.ts';
import type { PageVisit } from './visit.ts';

/** The class of `main` by the width of a page. */
const classes = { narrow: undefined, middle: 'wide', full: 'full' } as const;

/** A whole page: head, header with the brand, the navigation and the languages, content, and footer. */
export function pageDocument<V extends PageVisit>(
  { brand, assets, navigation, styles, width: usual }: Site<V>,
  visit: V,
  { title, body, width = usual, styles: more = [], scripts = [] }: PageReply,
): Html {
  const { language, link } = visit;
  const { home, top, bottom, languageLink } = navigation(visit);
  const { service: ours, skip, languages: label, logged } = pageTexts[language];
  const service = brand.name ?? ours;
  const logo = link(assets.logo(brand.logo));
  const asset = (name: string): string => link(assets.link(name));
  const others = languages.filter(one => one !== language);
  const kind = classes[width];
  const name = html`<img src="${logo}" alt="" ${brand.logo === undefined && html` width="28"`} height="28" /><bdi
      >${service}</bdi
    >`;
  return html`<!doctype html>
    <html lang="${locales[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} – ${service}</title>
        <link rel="icon" href="${logo}" type="${brand.logo?.type ?? 'image/svg+xml'}" />
        ${[...styles, ...more].map(style => html`<link rel="stylesheet" href="${asset(style)}" />`)}
        ${scripts.map(script => html`<script src="${asset(script)}" defer></script>`)}
      </head>
      <body>
        <a class="skip" href="#main">${skip}</a>
        <header class="top">
          <p class="brand">${home === undefined ? name : html`<a href="${home}">${name}</a>`}</p>
          ${top}
          <nav aria-label="${label}">
            ${others.map(
              other =>
                html`<a href="${languageLink(other)}" lang="${locales[other]}" hreflang="${locales[other]}"
                  >${pageTexts[other].language}</a
                >`,
            )}
          </nav>
        </header>
        <main id="main" tabindex="-1" ${kind !== undefined && html` class="${kind}"`}>${body}</main>
        <footer class="bottom">
          <p>${logged}</p>
          ${bottom}
        </footer>
      </body>
    </html> `;
}

import type { Assets } from './assets.ts';
import type { Brand } from './brand.ts';
import { html } from './html.ts';
import type { Html, Part } from './html.ts';
import { languages, locales } from './language.ts';
import type { Language } from './language.ts';
import { words } from './words.ts';

/** A page with its frame. */
export interface Document {
  readonly language: Language;
  readonly brand: Brand;
  readonly assets: Assets;
  /** Names of the style sheets and scripts. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly title: string;
  /** Beside the name of the product. */
  readonly top?: Part;
  readonly body: Html;
  /** The class of `main`. */
  readonly width: string | undefined;
  /** Beside the notice about logging. */
  readonly bottom?: Part;
  /** The page that the name of the product leads to; undefined for none. */
  readonly home?: string | undefined;
  /** The same page in the other language. */
  readonly languageLink: (language: Language) => string;
  readonly link: (path: string) => string;
}

/** A whole page: head, header with the brand and the languages, content, and footer. */
export function htmlDocument(document: Document): Html {
  const { language, brand, assets, styles, scripts, title, top, body, width, bottom, home, languageLink } = document;
  const { service: ours, skip, languages: label, logged } = words[language];
  const service = brand.name ?? ours;
  const logo = document.link(assets.logo(brand.logo));
  const asset = (name: string): string => document.link(assets.link(name));
  const others = languages.filter(one => one !== language);
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
        ${styles.map(style => html`<link rel="stylesheet" href="${asset(style)}" />`)}
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
                  >${words[other].language}</a
                >`,
            )}
          </nav>
        </header>
        <main id="main" tabindex="-1" ${width !== undefined && html` class="${width}"`}>${body}</main>
        <footer class="bottom">
          <p>${logged}</p>
          ${bottom}
        </footer>
      </body>
    </html> `;
}

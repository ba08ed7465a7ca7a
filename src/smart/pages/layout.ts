import { assetLink, logoLink } from './assets.ts';
import type { Brand } from './brand.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { languages, locales } from './language.ts';
import type { Language } from './language.ts';
import { texts } from './texts/index.ts';

/** The frame around the content of a page. */
export interface Frame {
  readonly language: Language;
  readonly brand: Brand;
  /** Includes the state, which a screen reader reads first. */
  readonly title: string;
  readonly body: Html;
  readonly script: boolean;
  readonly wide: boolean;
  /** The same page in the other language; undefined for a page that cannot be opened again. */
  readonly languageLink: (language: Language) => string;
  readonly link: (path: string) => string;
  /** Name of the signed-in user. */
  readonly user: string | undefined;
}

/** A whole page. */
export function layout({ language, brand, title, body, script, wide, languageLink, link, user }: Frame): Html {
  const { service: ours, skip, languages: label, logged, signOut } = texts[language];
  const service = brand.name ?? ours;
  const logo = link(logoLink(brand.logo));
  const asset = (name: string): string => link(assetLink(name));
  const signOutLink = html`<a href="${link('/auth/sign-out')}">${signOut.link}</a>`;
  const others = languages.filter(one => one !== language);
  return html`<!doctype html>
    <html lang="${locales[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} – ${service}</title>
        <link rel="icon" href="${logo}" type="${brand.logo?.type ?? 'image/svg+xml'}" />
        <link rel="stylesheet" href="${asset('style.css')}" />
        ${script && html`<script src="${asset('picker.js')}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#main">${skip}</a>
        <header class="top">
          <p class="brand">
            <img src="${logo}" alt="" ${brand.logo === undefined && html` width="28"`} height="28" /><bdi
              >${service}</bdi
            >
          </p>
          <nav aria-label="${label}">
            ${others.map(
              other =>
                html`<a href="${languageLink(other)}" lang="${locales[other]}" hreflang="${locales[other]}"
                  >${texts[other].language}</a
                >`,
            )}
          </nav>
        </header>
        <main id="main" tabindex="-1" ${wide && html` class="wide"`}>${body}</main>
        <footer class="bottom">
          <p>${logged}</p>
          ${user !== undefined && html`<p><bdi>${user}</bdi> · ${signOutLink}</p>`}
        </footer>
      </body>
    </html> `;
}

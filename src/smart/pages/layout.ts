import { assetsBelow } from '../../pages/assets.ts';
import type { Brand } from '../../pages/brand.ts';
import { htmlDocument } from '../../pages/document.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { words } from '../../pages/words.ts';

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

/** Style, script and logo of the pages. */
export const assets = assetsBelow('/auth/assets/');

/** A whole page. */
export function layout({ script, wide, user, ...frame }: Frame): Html {
  const { language, link } = frame;
  const signOut = html`<a href="${link('/auth/sign-out')}">${words[language].signOut}</a>`;
  return htmlDocument({
    ...frame,
    assets,
    styles: ['style.css'],
    scripts: script ? ['picker.js'] : [],
    width: wide ? 'wide' : undefined,
    bottom: user !== undefined && html`<p><bdi>${user}</bdi> · ${signOut}</p>`,
  });
}

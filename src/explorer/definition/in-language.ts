import { html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';
import { locales } from '../../pages/language.ts';
import type { Language } from '../../pages/language.ts';
import type { Label } from './label.ts';

/** A text that names its language where that is not the language of the page, so that screen readers pronounce it. */
export const inLanguage = ({ text, language }: Label, page: Language): Markup =>
  language === page ? text : html`<span lang="${locales[language]}">${text}</span>`;

/** The colon after a heading in a line; French has a no-break space before it. */
export const colon: Readonly<Record<Language, string>> = { en: ':', fr: '\u00a0:' };

/** An English text of a definition, with its language on a French page. */
export const inEnglish = (text: string, page: Language): Markup => inLanguage({ text, language: 'en' }, page);

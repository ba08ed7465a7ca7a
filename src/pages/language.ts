import type { IncomingMessage } from 'node:http';
import { yearInSeconds } from './cookies.ts';
import type { Cookies } from './cookies.ts';

/** The languages of the pages. */
export const languages = ['en', 'fr'] as const;
export type Language = (typeof languages)[number];

/** Values of `lang`, also the locales of dates. */
export const locales: Readonly<Record<Language, string>> = { en: 'en-CA', fr: 'fr-CA' };

/**
 * The language of a page: the chosen one (in this request, or before: its cookie), else that of the app (`ui_locales`),
 * else that of the browser, else English. Other languages are ignored.
 */
export function languageOf(wishes: {
  readonly asked: string | null | undefined;
  readonly kept: string | undefined;
  readonly app: readonly string[];
  readonly request: IncomingMessage;
}): Language {
  const { asked, kept, app, request } = wishes;
  const browser = preferred(request.headers['accept-language'] ?? '');
  return [asked, kept, ...app, ...browser].map(known).find(one => one !== undefined) ?? 'en';
}

/**
 * The language of an answer. A language that the query requests (`language`) is stored in a cookie, and its parameter
 * removed from the query; `app`: the languages that an app asks for.
 */
export function keepLanguage(
  request: IncomingMessage,
  cookies: Cookies,
  query: URLSearchParams,
  app: readonly string[] = [],
): Language {
  const asked = known(query.get('language'));
  query.delete('language');
  if (asked !== undefined) cookies.set('language', asked, yearInSeconds);
  return languageOf({ asked, kept: cookies.read('language'), app, request });
}

/** `fr-CA` → `fr`; undefined for a language that the pages do not have. */
export function known(tag: string | null | undefined): Language | undefined {
  const primary = tag?.toLowerCase().split('-')[0];
  return languages.find(language => language === primary);
}

/** The tags of Accept-Language by descending quality. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4 */
function preferred(header: string): readonly string[] {
  return header
    .slice(0, 500)
    .split(',')
    .map(item => {
      const [tag = '', ...parameters] = item.trim().split(';');
      const weight = parameters.map(one => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(one)?.[1]).find(Boolean);
      return { tag, weight: Number(weight ?? 1) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

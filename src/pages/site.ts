import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Assets } from './assets.ts';
import type { Brand } from './brand.ts';
import { createCookies } from './cookies.ts';
import type { Markup } from './html.ts';
import type { Language } from './language.ts';
import type { PageWidth } from './reply.ts';
import type { PageVisit } from './visit.ts';

/** Pages that share a frame: those of the explorer, or those of the authorization server. */
export interface Site<V extends PageVisit> {
  /** The base of absolute URLs; no trailing slash. */
  readonly publicUrl: string;
  readonly brand: Brand;
  readonly assets: Assets;
  /** Names of the style sheets of every page. */
  readonly styles: readonly string[];
  /** The width of pages that name none. */
  readonly width: PageWidth;
  readonly policy: PagePolicy;
  /** Headers of every answer in addition to those of the policy. */
  readonly headers: Readonly<Record<string, string>>;
  readonly navigation: (visit: V) => Navigation;
}

/** The links of the frame around the content of a page. */
export interface Navigation {
  /** The page that the name of the product leads to; undefined for none. */
  readonly home?: string;
  /** Beside the name of the product. */
  readonly top?: Markup;
  /** Beside the notice about logging. */
  readonly bottom?: Markup;
  /** The link to this page in the other language. */
  readonly languageLink: (language: Language) => string;
}

/** What other sites may do with pages, and what pages may load. */
export interface PagePolicy {
  /** The origins of sites that may show the pages in a frame. */
  readonly frameAncestors: readonly string[];
  /** Sources of images in addition to this origin. */
  readonly images: readonly string[];
  /** Whether a page is separated from windows of other origins, such as one that opened it. */
  readonly isSeparate: boolean;
}

/**
 * The beginning of a visit: what follows from its request and the cookies alone. The id of the request is in the header
 * X-Request-Id of its answer.
 */
export function beginVisit(
  publicUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  about: Pick<PageVisit, 'path' | 'params'>,
): Omit<PageVisit, 'language'> {
  const below = new URL(publicUrl).pathname.replace(/\/$/, '');
  return {
    ...about,
    request,
    response,
    cookies: createCookies(publicUrl, request, response),
    requestId: String(response.getHeader('X-Request-Id') ?? 'none'),
    link: path => `${below}${path}`,
  };
}

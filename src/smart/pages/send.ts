import type { IncomingMessage, ServerResponse } from 'node:http';
import { sessionCookie, yearInSeconds } from '../../pages/cookies.ts';
import type { Cookies } from '../../pages/cookies.ts';
import type { Brand } from '../../pages/brand.ts';
import type { Html } from '../../pages/html.ts';
import { known, languageOf } from '../../pages/language.ts';
import type { Language } from '../../pages/language.ts';
import { layout } from './layout.ts';
import { onwardPage } from './onward.ts';
import { securityHeaders } from '../../pages/security-headers.ts';
import type { Reply, Visit } from './visit.ts';

/** The part of a visit that sending needs. */
export type Sendable = Pick<
  Visit,
  'request' | 'response' | 'path' | 'query' | 'language' | 'texts' | 'user' | 'sessionSecret' | 'cookies' | 'link'
>;

/** Creates the sender of replies: pages with their headers, and redirects within the pages. */
export function createSend(
  publicUrl: string,
  frameAncestors: readonly string[],
  brand: Brand,
): (visit: Sendable, reply: Reply) => void {
  const tls = publicUrl.startsWith('https:');
  return (visit, reply) => {
    const { response, link } = visit;
    if (frameAncestors.length > 0) response.removeHeader('X-Frame-Options'); // which cannot name origins
    if (reply.kind === 'see') {
      response.writeHead(303, {
        ...securityHeaders(frameAncestors, { script: false, tls }),
        Location: link(reply.path),
      });
      response.end();
      return;
    }
    const page = reply.kind === 'onward' ? onwardPage(visit, reply.url, reply.app) : reply;
    const body = page.kind === 'fragment' ? page.body : framed(visit, page, brand);
    const script = page.kind === 'page' && page.script === true;
    const bytes = Buffer.from(body.text);
    response.writeHead(page.status, {
      ...securityHeaders(frameAncestors, { script, tls }),
      ...(page.kind === 'page' ? page.headers : {}),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': visit.language,
      'Content-Length': bytes.length,
      Vary: 'Accept-Language, Cookie',
    });
    response.end(bytes);
  };
}

function framed(
  visit: Sendable,
  { title, body, script = false, wide = false }: Reply & { kind: 'page' },
  brand: Brand,
): Html {
  const { request, response, path, query, language, user, sessionSecret, cookies, link } = visit;
  // otherwise the session has just changed
  const isSignedIn = cookies.read(request, response, sessionCookie) === sessionSecret;
  const languageLink = (other: Language): string => {
    const search = new URLSearchParams(query);
    search.set('language', other);
    return link(`${path}?${search.toString()}`);
  };
  const name = isSignedIn ? user?.name : undefined;
  return layout({ language, brand, title, body, script, wide, languageLink, link, user: name });
}

/**
 * The language of the answer. A language that the query requests is stored in a cookie, and its parameter removed from
 * the query.
 */
export function keepLanguage(
  cookies: Cookies,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
  app: readonly string[],
): Language {
  const asked = known(query.get('language'));
  query.delete('language');
  if (asked !== undefined) cookies.set(response, 'language', asked, yearInSeconds);
  return languageOf({ asked, kept: cookies.read(request, response, 'language'), app, request });
}

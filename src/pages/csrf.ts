import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Cookies } from './cookies.ts';

/**
 * The CSRF token of a form: derived from a secret of the browser (256 random bits in a cookie that no script reads,
 * which this answer sets if there is none yet), the session (empty before there is one) and the purpose of the form, so
 * that it is valid in no other browser, session or form, and no other site can read or make one.
 * https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export function formToken(cookies: Cookies, session: string, purpose: string): string {
  let browser = cookies.read('browser');
  if (browser === undefined) {
    browser = randomBytes(32).toString('base64url');
    cookies.set('browser', browser);
  }
  return createHmac('sha256', browser)
    .update(JSON.stringify([session, purpose]))
    .digest('base64url');
}

/** Compares the tokens in constant time. */
export function isFormToken(given: string | null, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * True if the browser reports that a page of another origin sends the form. Since pages are sent with `Referrer-Policy:
 * no-referrer`, browsers send the origin `null`, which is accepted only if Sec-Fetch-Site is `same-origin`. For a
 * client that sends neither header the token decides. https://www.w3.org/TR/fetch-metadata/
 */
export function isFromElsewhere({ headers }: IncomingMessage, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  return origin === 'null' ? site === undefined : origin !== new URL(publicUrl).origin;
}

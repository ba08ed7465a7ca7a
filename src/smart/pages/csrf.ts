import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A new secret of a browser: 256 random bits, for a cookie. */
export const newBrowserSecret = (): string => randomBytes(32).toString('base64url');

/**
 * The token of a form: made from the secret of the browser (a cookie that no script reads), the session (empty before there is
 * one) and what the form is for, so that it is good in no other browser, session or form. Another site can neither read nor make
 * one. https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export const formToken = (browser: string, session: string, purpose: string): string =>
  createHmac('sha256', browser)
    .update(JSON.stringify([session, purpose]))
    .digest('base64url');

/** True where the token is that one. */
export function isFormToken(given: string | null, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * True where a browser says that a page of another origin sends the form. Since pages are sent with `Referrer-Policy: no-referrer`,
 * browsers call the origin of their forms `null`: that is only taken where Sec-Fetch-Site says the same origin. A client that
 * says nothing of either is no browser, or an old one: the token decides. https://www.w3.org/TR/fetch-metadata/
 */
export function isFromElsewhere({ headers }: IncomingMessage, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  return origin === 'null' ? site === undefined : origin !== new URL(publicUrl).origin;
}

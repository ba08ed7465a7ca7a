import type { IncomingMessage, ServerResponse } from 'node:http';

/** Reads and sets the cookies of sign-in and pages. */
export interface Cookies {
  /** The value that this answer sets, else that of the request; undefined without both. */
  read(request: IncomingMessage, response: ServerResponse, name: string): string | undefined;
  /** `seconds` is the lifetime; undefined for a session cookie. The value is base64url. */
  set(response: ServerResponse, name: string, value: string, seconds?: number): void;
  clear(response: ServerResponse, name: string): void;
}

/** The lifetime of a cookie that keeps a choice. */
export const yearInSeconds = 365 * 24 * 60 * 60;

/** The cookie with the secret of the session (session.ts). */
export const sessionCookie = 'session';

/**
 * Cookies that no script can read and that other sites' requests do not carry, except links that the user follows. Over
 * https they have the prefix `__Host-`, so that only this host can set them. https://www.rfc-editor.org/rfc/rfc6265 and
 * its successor's https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#section-4.1.3
 */
export function createCookies(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith('https:');
  const named = (name: string): string => (secure ? `__Host-crs_${name}` : `crs_${name}`);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const answered = (response: ServerResponse): readonly string[] =>
    [response.getHeader('Set-Cookie') ?? []].flat().map(String);
  const put = (response: ServerResponse, name: string, value: string, more: string): void => {
    const others = answered(response).filter(cookie => !cookie.startsWith(`${named(name)}=`));
    response.setHeader('Set-Cookie', [...others, `${named(name)}=${value}; ${attributes}${more}`]);
  };
  return {
    read(request, response, name) {
      const own = answered(response).find(cookie => cookie.startsWith(`${named(name)}=`));
      return valueIn(own === undefined ? (request.headers.cookie ?? '') : (own.split(';')[0] ?? ''), named(name));
    },
    set: (response, name, value, seconds) =>
      put(response, name, value, seconds === undefined ? '' : `; Max-Age=${Math.floor(seconds)}`),
    clear: (response, name) => put(response, name, '', '; Max-Age=0'),
  };
}

/** The value of the first cookie with the name. */
function valueIn(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    if (key === name) return /^[A-Za-z0-9_-]{1,200}$/.test(value) ? value : undefined;
  }
  return undefined;
}

import type { IncomingMessage, ServerResponse } from 'node:http';

/** The cookies of a request and of its answer. */
export interface Cookies {
  /** The value that the answer sets, else that of the request; undefined without both. */
  read(name: string): string | undefined;
  /** `seconds` is the lifetime; undefined for a session cookie. The value is base64url. */
  set(name: string, value: string, seconds?: number): void;
  clear(name: string): void;
}

/** The lifetime of a cookie that keeps a choice. */
export const yearInSeconds = 365 * 24 * 60 * 60;

/**
 * Cookies that no script can read and that other sites' requests do not carry, except links that the user follows. Over
 * https they have the prefix `__Host-`, so that only this host can set them. https://www.rfc-editor.org/rfc/rfc6265 and
 * its successor's https://httpwg.org/http-extensions/draft-ietf-httpbis-rfc6265bis.html#section-4.1.3
 */
export function createCookies(publicUrl: string, request: IncomingMessage, response: ServerResponse): Cookies {
  const secure = publicUrl.startsWith('https:');
  const named = (name: string): string => (secure ? `__Host-crs_${name}` : `crs_${name}`);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const answered = (): readonly string[] => [response.getHeader('Set-Cookie') ?? []].flat().map(String);
  const put = (name: string, value: string, more: string): void => {
    const others = answered().filter(cookie => !cookie.startsWith(`${named(name)}=`));
    response.setHeader('Set-Cookie', [...others, `${named(name)}=${value}; ${attributes}${more}`]);
  };
  return {
    read(name) {
      const own = answered().find(cookie => cookie.startsWith(`${named(name)}=`));
      return valueIn(own === undefined ? (request.headers.cookie ?? '') : (own.split(';')[0] ?? ''), named(name));
    },
    set: (name, value, seconds) => put(name, value, seconds === undefined ? '' : `; Max-Age=${Math.floor(seconds)}`),
    clear: name => put(name, '', '; Max-Age=0'),
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

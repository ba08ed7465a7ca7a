import type { Clinic } from './clinic.ts';
import { password } from './clinic.ts';

/** A page that came back. */
export interface Seen {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Text of the first `h1`. */
  readonly heading: string;
  /** Of the document. */
  readonly title: string;
  /** The address to which the page continues automatically; undefined for one that stays. */
  readonly onward: string | undefined;
}

/**
 * A browser without script: it keeps cookies, follows redirects within the service, and sends forms; the pages need
 * nothing else.
 */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #clinic: Pick<Clinic, 'url'>;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(clinic: Pick<Clinic, 'url'>, headers: Readonly<Record<string, string>> = {}) {
    this.#clinic = clinic;
    this.#headers = headers;
  }

  get(url: string): Promise<Seen> {
    return this.send('GET', url);
  }

  /** Sends a form of a page: its hidden fields and these. */
  submit(page: Seen, fields: Readonly<Record<string, string | readonly string[]>>, form = 0): Promise<Seen> {
    const { action, hidden } = formsOf(page.html)[form] ?? { action: '', hidden: [] };
    const given = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    const others = hidden.filter(([name]) => fields[name] === undefined);
    return this.send('POST', new URL(action, page.url).href, new URLSearchParams([...others, ...given]).toString());
  }

  async signIn(page: Seen, user: string, secret = password): Promise<Seen> {
    return this.submit(page, { user, password: secret });
  }

  async send(
    method: string,
    target: string,
    body?: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Seen> {
    let [url, verb, form] = [new URL(target, this.#clinic.url).href, method, body];
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await fetch(url, {
        method: verb,
        redirect: 'manual',
        headers: {
          Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
          ...this.#headers,
          ...more,
        },
        ...(form === undefined ? {} : { body: form }),
      });
      for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
      const location = response.headers.get('location');
      if (location === null || !new URL(location, url).href.startsWith(this.#clinic.url)) return seen(url, response);
      await response.arrayBuffer();
      [url, verb, form] = [new URL(location, url).href, 'GET', undefined];
    }
    throw new Error('too many redirects');
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';').map(part => part.trim());
    const [name = '', value = ''] = pair.split('=', 2);
    const over = attributes.some(one => /^(max-age=0|expires=Thu, 01 Jan 1970.*)$/i.test(one));
    if (over || value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

async function seen(url: string, response: Response): Promise<Seen> {
  const html = await response.text();
  const refresh = response.headers.get('refresh');
  return {
    url,
    status: response.status,
    headers: response.headers,
    html,
    heading: plain(/<h1[^>]*>([^]*?)<\/h1>/.exec(html)?.[1] ?? ''),
    title: plain(/<title>([^]*?)<\/title>/.exec(html)?.[1] ?? ''),
    onward: refresh?.replace(/^0; url=/, ''),
  };
}

/** The text that a piece of HTML shows. */
export const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&#96;/g, '`')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();

/** The forms of a page that are posted, with their hidden fields. */
export function formsOf(html: string): readonly { readonly action: string; readonly hidden: [string, string][] }[] {
  return [...html.matchAll(/<form[^>]*?method="post"[^>]*?action="([^"]*)"[^>]*>([^]*?)<\/form>/g)].map(
    ([, action = '', inner = '']) => ({
      action: plain(action),
      hidden: [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']): [string, string] => [name, plain(value)],
      ),
    }),
  );
}

/** The values of the inputs of a name. */
export const valuesOf = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(`<input[^>]*name="${name}"[^>]*value="([^"]*)"`, 'g'))].map(([, value = '']) =>
    plain(value),
  );

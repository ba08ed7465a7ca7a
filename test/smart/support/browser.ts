import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

/** A page or another answer. */
export interface Visited {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A form of a page, with its preset values. */
export interface PageForm {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The values of radio buttons, by name. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

/** A browser without scripts: it keeps cookies, follows redirects within the server, and fills in forms. */
export class Browser {
  readonly origin: string;
  readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();

  /** `origin`: that of the server; `port` where another process answers for it. */
  readonly port: number | undefined;
  constructor(origin: string, port?: number) {
    this.origin = origin;
    this.port = port;
  }

  /** One request, no redirect followed. */
  request(
    method: string,
    address: string | URL,
    form?: URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<Visited> {
    const url = new URL(address, this.origin);
    const cookie = [...this.cookies]
      .filter(
        ([, { path }]) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');
    const type = form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        {
          host: '127.0.0.1',
          port: this.port ?? url.port,
          method,
          path: `${url.pathname}${url.search}`,
          headers: { ...type, ...(cookie === '' ? {} : { cookie }), ...headers },
        },
        response => {
          this.#keep(response.headers['set-cookie'] ?? []);
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          response.on('end', () =>
            resolve({
              url,
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(form?.toString());
    });
  }

  /** Follows what the server says until there is a page, or an address elsewhere, which is given as it is. */
  async open(address: string | URL, form?: URLSearchParams): Promise<Visited> {
    let visited = await this.request(form === undefined ? 'GET' : 'POST', address, form);
    for (let hops = 0; hops < 12; hops += 1) {
      const next = onward(visited);
      if (next === undefined) return visited;
      const url = new URL(next, visited.url);
      if (url.origin !== this.origin) return { ...visited, url };
      visited = await this.request('GET', url);
    }
    throw new Error(`Redirected without end: ${visited.url.href}`);
  }

  /** Sends the form of the page whose action ends so, with these fields in place of its own. */
  async submit(
    page: Visited,
    ending: string,
    fields: Readonly<Record<string, string | readonly string[]>> = {},
  ): Promise<Visited> {
    const form = formsOf(page).findLast(({ action }) => action.endsWith(ending));
    if (form === undefined)
      throw new Error(`No form for ${ending} at ${page.url.href} (${page.status}):\n${page.text}`);
    const body = new URLSearchParams(form.fields.filter(([name]) => !(name in fields)).map(pair => [...pair]));
    for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one);
    return this.open(new URL(form.action, page.url), body);
  }

  #keep(headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(';').map(part => part.trim());
      const at = pair.indexOf('=');
      const attribute = (name: string): string | undefined =>
        attributes.find(text => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
      const path = attribute('path') ?? '/';
      const key = `${pair.slice(0, at)} ${path}`;
      const isOver = attribute('max-age') === '0' || Date.parse(attribute('expires') ?? '2999-01-01') < Date.now();
      if (isOver || pair.slice(at + 1) === '') this.cookies.delete(key);
      else this.cookies.set(key, { value: pair.slice(at + 1), path });
    }
  }
}

/** Where an answer sends the browser: by a redirect, or by a page that continues automatically. */
function onward({ status, headers }: Visited): string | undefined {
  if (status >= 300 && status < 400) return headers.location;
  const { refresh } = headers;
  return typeof refresh === 'string' ? /url=(.*)$/.exec(refresh)?.[1] : undefined;
}

/** The forms of a page. */
export function formsOf({ text }: Pick<Visited, 'text'>): readonly PageForm[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', inner = '']) => {
    const fields: [string, string][] = [];
    const choices = new Map<string, string[]>();
    for (const [, input = ''] of inner.matchAll(/<input\b([^>]*)>/gs)) {
      const name = attributeOf(input, 'name');
      const type = attributeOf(input, 'type');
      const value = attributeOf(input, 'value') ?? '';
      if (name === undefined) continue;
      if (type === 'radio') choices.set(name, [...(choices.get(name) ?? []), value]);
      if ((type === 'radio' || type === 'checkbox') && !/\schecked\b/.test(input)) continue;
      fields.push([name, value]);
    }
    return { action: attributeOf(attributes, 'action') ?? '', fields, choices };
  });
}

function attributeOf(text: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
  return value
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

import { createHash, randomBytes } from 'node:crypto';
import { Browser } from './browser.ts';
import type { Visited } from './browser.ts';
import { assertion } from './keys.ts';
import { callback, password } from './server.ts';
import type { Authorizing } from './server.ts';

/** A token answer, or a refusal. */
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Visited['headers'];
  readonly json: any; // eslint-disable-line typescript/no-explicit-any -- answers are looked into as they come
}

export interface LaunchOptions {
  readonly client?: string;
  readonly scope?: string;
  readonly user?: string;
  /** The patient who is chosen, where the page asks. */
  readonly patient?: string;
  /** Beside, or in place of, what an app sends; undefined leaves it out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly browser?: Browser;
  /** Scopes that the user does not tick. */
  readonly without?: readonly string[];
  readonly port?: number;
}

export interface Authorized {
  /** What the app got in its redirect URI. */
  readonly answer: URLSearchParams;
  readonly verifier: string;
  /** Where the browser ended. */
  readonly page: Visited;
  readonly browser: Browser;
}

export const usualScope = 'launch/patient openid fhirUser offline_access patient/Patient.rs patient/Condition.rs';

/** A code verifier with its challenge. */
export function pkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The address to which an app sends the browser. */
export function authorizeUrl(
  server: Authorizing,
  challenge: string,
  { client = 'app', scope = usualScope, query = {} }: LaunchOptions = {},
): string {
  const all = {
    response_type: 'code',
    client_id: client,
    redirect_uri: callback,
    scope,
    state: 'state-of-the-app',
    aud: server.base,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...query,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${server.issuer}/authorize?${new URLSearchParams(given).toString()}`;
}

/** From the app's first request to what its redirect URI gets: the user signs in, chooses and agrees. */
export async function authorize(server: Authorizing, options: LaunchOptions = {}): Promise<Authorized> {
  const { verifier, challenge } = pkce();
  const browser = options.browser ?? new Browser(server.running.url, options.port);
  const page = await follow(server, browser, authorizeUrl(server, challenge, options), options);
  const isBack = page.url.origin === new URL(callback).origin;
  return { answer: isBack ? page.url.searchParams : new URLSearchParams(), verifier, page, browser };
}

/**
 * Follows an address of the server to the final address, or to a page with an error.
 */
export async function follow(
  server: Authorizing,
  browser: Browser,
  address: string | URL,
  options: LaunchOptions = {},
): Promise<Visited> {
  let page = await browser.open(address);
  for (let step = 0; step < 6 && page.url.origin === server.running.url && page.status === 200; step += 1)
    page = await goOn(browser, page, options);
  return page;
}

/** Does what a page asks for. */
export async function goOn(
  browser: Browser,
  page: Visited,
  { user = 'clinician', patient = 'ann', without = [] }: LaunchOptions = {},
): Promise<Visited> {
  const { pathname } = page.url;
  if (pathname.endsWith('/sign-in')) return browser.submit(page, '/sign-in', { user, password });
  if (pathname.endsWith('/patient')) return browser.submit(page, '/patient', { patient, do: 'choose' });
  if (pathname.endsWith('/consent')) {
    const ticked = [...page.text.matchAll(/name="scope"\s+value="([^"]*)"/g)].map(([, value = '']) =>
      value.replaceAll('&amp;', '&'),
    );
    return browser.submit(page, '/consent', { scope: ticked.filter(scope => !without.includes(scope)) });
  }
  throw new Error(`Nothing to do at ${page.url.href} (${page.status}):\n${page.text}`);
}

/** What a client shows beside a request, by its name. */
export async function credentials(
  server: Authorizing,
  client: string,
): Promise<{ form: Record<string, string>; headers: Record<string, string> }> {
  if (client === 'secret-app') {
    return { form: {}, headers: { Authorization: `Basic ${Buffer.from('secret-app:app-secret').toString('base64')}` } };
  }
  if (client === 'signing-app' || client === 'backend') {
    const client_assertion = await assertion(server.key, client, `${server.issuer}/token`, server.clock.now);
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    return { form: { client_assertion, client_assertion_type }, headers: {} };
  }
  return { form: { client_id: client }, headers: {} };
}

/** Posts a form to an endpoint below the issuer. */
export async function post(
  server: Authorizing,
  path: string,
  form: Readonly<Record<string, string | undefined>>,
  headers: Record<string, string> = {},
  port = server.ports[0],
): Promise<TokenAnswer> {
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const answer = await new Browser(server.running.url, port).request(
    'POST',
    `${server.issuer}${path}`,
    new URLSearchParams(given),
    headers,
  );
  return {
    status: answer.status,
    headers: answer.headers,
    get json() {
      return JSON.parse(answer.text) as unknown;
    },
  };
}

/** Exchanges a code as the client does. */
export async function exchange(
  server: Authorizing,
  { answer, verifier }: Pick<Authorized, 'answer' | 'verifier'>,
  client = 'app',
  more: Readonly<Record<string, string | undefined>> = {},
  port?: number,
): Promise<TokenAnswer> {
  const { form, headers } = await credentials(server, client);
  const code = answer.get('code') ?? undefined;
  const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  return post(server, '/token', { ...grant, ...form, ...more }, headers, port);
}

/** A whole launch: the token answer of the app. Whoever has signed in before in such a launch need not do it again. */
export async function launchApp(server: Authorizing, options: LaunchOptions = {}): Promise<TokenAnswer> {
  const { user = 'clinician' } = options;
  const known = browsers.get(server) ?? new Map<string, Browser>();
  browsers.set(server, known);
  const browser = options.browser ?? known.get(user) ?? new Browser(server.running.url);
  known.set(user, browser);
  const authorized = await authorize(server, { ...options, browser });
  if (!authorized.answer.has('code')) {
    const { url, status, text } = authorized.page;
    throw new Error(`No code: ${url.href} (${status})\n${text}`);
  }
  return exchange(server, authorized, options.client);
}

const browsers = new WeakMap<Authorizing, Map<string, Browser>>();

export async function refresh(
  server: Authorizing,
  token: string,
  { client = 'app', port, ...more }: { readonly client?: string; readonly scope?: string; readonly port?: number } = {},
): Promise<TokenAnswer> {
  const { form, headers } = await credentials(server, client);
  return post(server, '/token', { grant_type: 'refresh_token', refresh_token: token, ...form, ...more }, headers, port);
}

/** A token for the backend client. */
export async function backendToken(
  server: Authorizing,
  more: Readonly<Record<string, string | undefined>> = {},
  port?: number,
): Promise<TokenAnswer> {
  const { form } = await credentials(server, 'backend');
  return post(
    server,
    '/token',
    { grant_type: 'client_credentials', scope: 'system/Patient.rs', ...form, ...more },
    {},
    port,
  );
}

/** Reads below the base URL with a token. */
export async function read(server: Authorizing, token: string, path: string, port = server.ports[0]): Promise<Visited> {
  return new Browser(server.running.url, port).request('GET', `${server.base}${path}`, undefined, {
    Authorization: `Bearer ${token}`,
  });
}

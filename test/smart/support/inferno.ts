import { Browser, formsOf } from './browser.ts';
import type { Visited } from './browser.ts';
import { authorizeUrl, credentials, goOn, pkce, post } from './flow.ts';
import type { TokenAnswer } from './flow.ts';
import { callback, password } from './server.ts';
import type { Authorizing } from './server.ts';

/** The origin of the kit's own pages: that of the redirect URI that it is registered with. */
export const kitOrigin = new URL(callback).origin;

/** The preset values of the kit. */
export const kitScopes = {
  standalone: 'launch/patient openid fhirUser offline_access patient/*.rs',
  ehr: 'launch openid fhirUser offline_access patient/*.rs',
} as const;

export interface KitLaunch {
  readonly name: string;
  readonly kind: keyof typeof kitScopes;
  readonly client: 'app' | 'secret-app' | 'signing-app';
  readonly method: 'GET' | 'POST';
}

/** The launches that the kit supports. */
export const kitLaunches: readonly KitLaunch[] = [
  { name: 'standalone, public client, GET', kind: 'standalone', client: 'app', method: 'GET' },
  { name: 'standalone, public client, POST', kind: 'standalone', client: 'app', method: 'POST' },
  { name: 'standalone, symmetric client', kind: 'standalone', client: 'secret-app', method: 'GET' },
  { name: 'standalone, asymmetric client', kind: 'standalone', client: 'signing-app', method: 'GET' },
  { name: 'EHR, public client', kind: 'ehr', client: 'app', method: 'GET' },
  { name: 'EHR, symmetric client, POST', kind: 'ehr', client: 'secret-app', method: 'POST' },
  { name: 'EHR, asymmetric client', kind: 'ehr', client: 'signing-app', method: 'GET' },
];

export interface KitLaunched {
  /** What the EHR opened, where it began there. */
  readonly started: URL | undefined;
  /** What the app sent. */
  readonly sent: URLSearchParams;
  /** Where the browser came back to. */
  readonly back: URL;
  readonly token: TokenAnswer;
}

/** Launches and gets a token as the kit does. */
export async function launchAsKit(server: Authorizing, { kind, client, method }: KitLaunch): Promise<KitLaunched> {
  const { verifier, challenge } = pkce();
  const browser = new Browser(server.running.url);
  const started = kind === 'ehr' ? await startFromEhr(browser, client) : undefined;
  const launch = started?.searchParams.get('launch') ?? undefined;
  const options = { client, scope: kitScopes[kind], query: { launch } };
  const url = new URL(authorizeUrl(server, challenge, options));
  const sent = url.searchParams;
  let page = method === 'GET' ? await browser.open(url) : await browser.open(`${server.issuer}/authorize`, sent);
  for (let step = 0; step < 6 && page.url.origin === server.running.url && page.status === 200; step += 1)
    page = await goOn(browser, page, options);
  const token = await exchangeAsKit(server, client, page.url.searchParams.get('code') ?? '', verifier);
  return { started, sent, back: page.url, token };
}

/** A clinician signs in and starts the app for a patient: what is opened then. */
async function startFromEhr(browser: Browser, client: string): Promise<URL> {
  const page = await browser.open('/auth/launcher');
  await browser.submit(page, '/sign-in', { user: 'clinician', password });
  const patients = await browser.open(`/auth/launcher?${new URLSearchParams({ open: `demo ${client} 0` }).toString()}`);
  const [form] = formsOf(patients).filter(({ action }) => action.includes('/launcher'));
  const opened = await browser.submit(patients, form?.action ?? 'launcher', { patient: 'ann', do: 'choose' });
  return opened.url;
}

/** Form-encoded; `client_id` of a public client alone, which also sends its origin. */
async function exchangeAsKit(
  server: Authorizing,
  client: KitLaunch['client'],
  code: string,
  code_verifier: string,
): Promise<TokenAnswer> {
  const { form, headers } = await credentials(server, client);
  const origin = client === 'app' ? { Origin: kitOrigin } : {};
  const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier };
  return post(server, '/token', { ...grant, ...form }, { ...headers, ...origin });
}

export interface Fetched extends Visited {
  readonly json: any; // eslint-disable-line typescript/no-explicit-any -- answers are looked into as they come
}

/** Reads an address. */
export async function fetchAsKit(
  server: Authorizing,
  address: string,
  headers: Record<string, string> = {},
): Promise<Fetched> {
  const visited = await new Browser(server.running.url).request('GET', address, undefined, headers);
  return { ...visited, get json() { return JSON.parse(visited.text) as unknown; } }; // prettier-ignore
}

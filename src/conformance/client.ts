import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** A request and its answer. It has no credentials: the header Authorization is not part of it. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string | undefined;
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body if it is a JSON object. */
  readonly json: JsonObject | undefined;
  /** Why there is no answer. */
  readonly failure: string | undefined;
}

export interface ClientOptions {
  /** The base URL of the server, without a slash at its end. */
  readonly base: string;
  /** Most requests in a second. */
  readonly rate: number;
  /** The access token for a request; undefined for none. */
  readonly token: () => Promise<string | undefined>;
  /** Called after each answer. */
  readonly answered?: (exchange: Exchange) => void;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends requests one after another, within the rate, and repeats what the server postpones. */
export interface Client {
  readonly base: string;
  /** `target` is below the base URL (`Patient?name=a`), or absolute. */
  send(method: string, target: string, options?: RequestOptions): Promise<Exchange>;
  /** GET with `Accept: application/fhir+json`. */
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<Exchange>;
}

const fhirJson = 'application/fhir+json';
/** Time for an answer, and the longest pause that a server can ask for, in milliseconds. */
const patience = 60_000;
const longestPause = 300_000;
const mostTries = 6;

export function createClient({ base, rate, token, answered = () => {} }: ClientOptions): Client {
  let next = 0;
  const send = async (method: string, target: string, { headers = {}, body }: RequestOptions = {}) => {
    const url = /^https?:\/\//.test(target) ? target : `${base}/${target}`;
    const requestHeaders = {
      Accept: fhirJson,
      ...(body === undefined ? {} : { 'Content-Type': fhirJson }),
      ...headers,
    };
    for (let tries = 1; ; tries += 1) {
      const pause = next - Date.now();
      if (pause > 0) await sleep(pause);
      next = Math.max(next, Date.now()) + 1000 / rate;
      const sent = { method, url, requestHeaders, requestBody: body };
      const exchange = await exchangeOf(sent, isWithin(url, base) ? await token() : undefined);
      const isPostponed = exchange.status === 429 || exchange.status === 503;
      if (!isPostponed || tries === mostTries) {
        answered(exchange);
        return exchange;
      }
      await sleep(pauseOf(exchange.headers.get('Retry-After'), tries));
    }
  };
  return { base, send, get: (target, headers = {}) => send('GET', target, { headers }) };
}

/** Tokens are sent to the tested server only, wherever its links lead. */
const isWithin = (url: string, base: string): boolean =>
  URL.canParse(url) && new URL(url).origin === new URL(base).origin;

type Sent = Pick<Exchange, 'method' | 'url' | 'requestHeaders' | 'requestBody'>;

async function exchangeOf(sent: Sent, token: string | undefined): Promise<Exchange> {
  const { method, url, requestHeaders, requestBody } = sent;
  try {
    const answer = await fetch(url, {
      method,
      headers: token === undefined ? requestHeaders : { ...requestHeaders, Authorization: `Bearer ${token}` },
      body: requestBody ?? null,
      signal: AbortSignal.timeout(patience),
    });
    const text = await answer.text();
    return { ...sent, status: answer.status, headers: answer.headers, text, json: jsonOf(text), failure: undefined };
  } catch (error) {
    const { message, cause } = error as Error; // fetch throws errors
    const failure = cause instanceof Error ? `${message}: ${cause.message}` : message;
    return { ...sent, status: 0, headers: new Headers(), text: '', json: undefined, failure };
  }
}

function jsonOf(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Milliseconds of a Retry-After, which is seconds or a date; without one, ever longer.
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function pauseOf(retryAfter: string | null, tries: number, now = Date.now()): number {
  const text = retryAfter?.trim() ?? '';
  const wanted = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Math.min(Number.isNaN(wanted) ? 500 * 2 ** tries : Math.max(0, wanted), longestPause);
}

/** A request as a curl command; the token is that of a variable. */
export function curlOf({ method, url, requestHeaders, requestBody }: Sent, hasToken: boolean): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(hasToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...headers,
    ...(requestBody === undefined ? [] : [`--data-raw ${quoted(requestBody)}`]),
    quoted(url),
  ].join(' ');
}

import type { Answer, Served } from './serve.ts';
import { communication, everything } from './versioned.ts';
import type { VersionedServer } from './versioned.ts';

type Headers = Readonly<Record<string, string>>;
type Resource = { readonly resourceType: string; readonly id?: string };

/** A Bundle of the type transaction. */
export const transaction = (...entry: readonly object[]): object => ({
  resourceType: 'Bundle',
  type: 'transaction',
  ...(entry.length === 0 ? {} : { entry }),
});

/** Entries of a Bundle; `more` is for the request. */
export const getEntry = (url: string, more: object = {}): object => ({ request: { method: 'GET', url, ...more } });
export const deleteEntry = (url: string, more: object = {}): object => ({
  request: { method: 'DELETE', url, ...more },
});
export const postEntry = (resource: Resource, fullUrl?: string, more: object = {}): object => ({
  ...(fullUrl === undefined ? {} : { fullUrl }),
  resource,
  request: { method: 'POST', url: resource.resourceType, ...more },
});
export const putEntry = (resource: Resource, more: object = {}, fullUrl?: string): object => ({
  ...(fullUrl === undefined ? {} : { fullUrl }),
  resource,
  request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}`, ...more },
});

/** Sends a Bundle, or a body, to the base. */
export const sendBundle = (server: Served, body: object | string, headers: Headers): Promise<Answer> =>
  server.ask('POST', '', {
    headers: { 'Content-Type': 'application/fhir+json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Sends a transaction of these entries, with a token for everything unless the headers have another. */
export const sendEntries = (
  server: VersionedServer,
  entries: readonly object[],
  headers: Headers = {},
): Promise<Answer> => sendBundle(server, transaction(...entries), { ...server.authorized(everything), ...headers });

/** A communication with an identifier, as entries create it. */
export const identified = (value: string, more: object = {}) =>
  communication(undefined, { identifier: [{ value }], ...more });

export const partOf = (reference: string) => ({ partOf: [{ reference }] });

/** The number of matches of a search, such as `Communication?identifier=a`. */
export const countOf = async (server: VersionedServer, search: string): Promise<number> =>
  (await server.get(`/${search}&_summary=count`)).json.total;

/** The statuses of the entries; for a refusal its status, and code and place of each issue. */
export function statusesOf({ status, json }: Answer): unknown {
  if (status !== 200) return [status, issuesOf(json)];
  return ((json.entry ?? []) as { response: { status: string } }[]).map(({ response }) => Number(response.status));
}

const issuesOf = ({ issue }: { issue: { code: string; expression?: readonly string[] }[] }): readonly string[] =>
  issue.map(({ code, expression = [] }) => [code, ...expression].join(' '));

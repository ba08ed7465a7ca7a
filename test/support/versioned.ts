import { join } from 'node:path';
import { patient } from './resources.ts';
import { serve } from './serve.ts';
import type { Answer, Served } from './serve.ts';
import { testTokens } from './tokens.ts';

/** A server with the fixture `versioned`, whose clock a test moves. */
export interface VersionedServer extends Served {
  readonly clock: { now: number };
  /** The headers of a token. */
  authorized(scope: string, claims?: { readonly patient?: string; readonly fhirUser?: string }): Headers;
  put(path: string, body: object | string, headers?: Headers): Promise<Answer>;
  /** An array is a JSON Patch, an object a FHIRPath Patch. */
  patch(path: string, patch: object, headers?: Headers): Promise<Answer>;
  delete(path: string, headers?: Headers): Promise<Answer>;
}

type Headers = Readonly<Record<string, string>>;

/** Everything of every type. */
export const everything = 'system/*.cruds';

/** `step`: how far its clock goes on whenever it is read, in milliseconds. */
export async function serveVersioned({ step = 10 } = {}): Promise<VersionedServer> {
  const tokens = testTokens();
  const clock = { now: Date.UTC(2026, 0, 1) };
  const folder = join(import.meta.dirname, '../fixtures/versioned');
  const parts = { verify: tokens.verify, now: () => (clock.now += step) };
  const server = await serve([patient('p1'), patient('p2')], ['--definitions', folder], undefined, parts);
  const authorized: VersionedServer['authorized'] = (scope, claims = {}) =>
    tokens.bearer({ scope, expires: Number.MAX_SAFE_INTEGER, ...claims });
  const headers = authorized(everything);
  return {
    ...server,
    clock,
    authorized,
    get: (path, of = headers) => server.get(path, of),
    put: (path, body, of = headers) =>
      server.ask('PUT', path, {
        headers: { ...headers, 'Content-Type': 'application/fhir+json', ...of },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    patch: (path, patch, of = headers) => {
      const contentType = Array.isArray(patch) ? 'application/json-patch+json' : 'application/fhir+json';
      const own = { ...headers, 'Content-Type': contentType, ...of };
      return server.ask('PATCH', path, { headers: own, body: JSON.stringify(patch) });
    },
    delete: (path, of = headers) => server.ask('DELETE', path, { headers: { ...headers, ...of } }),
  };
}

export const communication = (id: string | undefined, fields: Readonly<Record<string, unknown>> = {}) => ({
  resourceType: 'Communication',
  ...(id === undefined ? {} : { id }),
  status: 'completed',
  subject: { reference: 'Patient/p1' },
  ...fields,
});

/** A FHIRPath Patch with one operation. https://hl7.org/fhir/R4/fhirpatch.html */
export const pathPatch = (type: string, path: string, ...parts: readonly object[]) => ({
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'operation',
      part: [{ name: 'type', valueCode: type }, { name: 'path', valueString: path }, ...parts],
    },
  ],
});

export const noted = (text: string) => ({ note: [{ text }] });

import { asString, isObject } from '../fhir/json-object.ts';

export interface BackendClient {
  /** The base URL of the FHIR server. */
  readonly base: string;
  readonly scope: string;
  /** A signed assertion for the token endpoint at this URL; each is used once. */
  readonly assertion: (audience: string) => string;
}

/**
 * The access tokens of a backend service: a new one before the last expires. Throws Error with the answer of the token
 * endpoint. https://hl7.org/fhir/smart-app-launch/STU2.2/backend-services.html
 */
export function backendTokens({ base, scope, assertion }: BackendClient): () => Promise<string> {
  let current: { readonly token: string; readonly until: number } | undefined;
  let endpoint: string | undefined;
  return async () => {
    if (current !== undefined && Date.now() < current.until) return current.token;
    endpoint ??= await endpointOf(base);
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion(endpoint),
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(60_000),
    });
    const body: unknown = await answer.json().catch(() => undefined);
    const { access_token: token, expires_in: seconds, error, error_description: why } = isObject(body) ? body : {};
    if (answer.status !== 200 || typeof token !== 'string') {
      const reason = asString(why) ?? asString(error) ?? 'without a token';
      throw new Error(`The token endpoint ${endpoint} answered ${answer.status}: ${reason}`);
    }
    const lifetime = typeof seconds === 'number' ? seconds : 60;
    current = { token, until: Date.now() + lifetime * 800 };
    return token;
  };
}

async function endpointOf(base: string): Promise<string> {
  const url = `${base}/.well-known/smart-configuration`;
  const answer = await fetch(url, {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(60_000),
  });
  const body: unknown = await answer.json().catch(() => undefined);
  const endpoint = isObject(body) ? asString(body['token_endpoint']) : undefined;
  if (endpoint === undefined) throw new Error(`${url} answered ${answer.status} without a \`token_endpoint\``);
  return endpoint;
}

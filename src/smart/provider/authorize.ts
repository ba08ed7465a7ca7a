import { audiencesOf } from '../partition-of.ts';

/**
 * The query of an authorization request for oidc-provider: `aud` becomes `resource`, without a trailing slash; scopes
 * are separated by one space; the answer is always in the query of the redirect URI.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#obtain-authorization-code
 */
export function authorizeQuery(query: URLSearchParams): URLSearchParams {
  const audiences = audiencesOf([...query.getAll('aud'), ...query.getAll('resource')]);
  const others = [...query].filter(([name]) => name !== 'aud' && name !== 'resource');
  const normal = new URLSearchParams(
    others.map(([name, value]) => [name, name === 'scope' ? value.replace(/ +/g, ' ').replace(/^ | $/g, '') : value]),
  );
  // Several audiences name no partition: joined, they are rejected.
  if (audiences.length > 0) normal.set('resource', audiences.join(' '));
  const mode = normal.get('response_mode');
  if (mode !== null && mode !== 'query') normal.set('response_mode', 'unsupported');
  return normal;
}

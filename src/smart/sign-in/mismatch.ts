import type { RegisteredClient } from '../accounts/registered.ts';

/** The sentence for a redirect URI that the client is not registered for; undefined if the request has none. */
export function redirectMismatch(received: string | undefined, { id, redirectUris }: RegisteredClient): string {
  const is = received === undefined ? 'is missing' : `is ${quoted(received)}`;
  return `The parameter 'redirect_uri' ${is}, but the client '${id}' is registered for ${listed(redirectUris)}.`;
}

/** The sentence for a base URL that is none of the partitions of the client; undefined if the request has none. */
export function audienceMismatch(
  received: string | undefined,
  { id, partitions }: RegisteredClient,
  publicUrl: string,
): string {
  const is = received === undefined ? 'is missing: it' : `is ${quoted(received)}, but`;
  const bases = partitions.map(partition => `${publicUrl}/r4/${partition}`);
  return (
    `The parameter 'aud' ${is} must be the FHIR base URL of a partition that the client '${id}' is registered for: ` +
    `${listed(bases)}.`
  );
}

const mostListed = 5;

function listed(values: readonly string[]): string {
  const others = values.length - mostListed;
  const shown = values.slice(0, mostListed).map(quoted).join(', ');
  return others > 0 ? `${shown} and ${others} more` : shown;
}

/** At most 200 of the characters that an `error_description` may have. */
function quoted(value: string): string {
  const text = value.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
  return `'${text.length > 200 ? `${text.slice(0, 200)}...` : text}'`;
}

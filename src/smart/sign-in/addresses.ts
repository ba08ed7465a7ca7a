import type { RegisteredClient } from '../accounts/registered.ts';
import type { Store } from '../../store/port/store.ts';

/** Id of the partition with exactly this base URL; undefined if there is none. */
export async function partitionOf(
  audience: string,
  { store, publicUrl }: { readonly store: Pick<Store, 'partition'>; readonly publicUrl: string },
): Promise<string | undefined> {
  const above = `${publicUrl}/r4/`;
  const id = audience.startsWith(above) ? audience.slice(above.length) : '';
  return /^[a-z0-9-]{1,32}$/.test(id) ? (await store.partition(id))?.id : undefined;
}

/** The values of `aud` and its synonym `resource`, each once; a trailing slash is ignored. */
export const audiencesOf = (values: readonly string[]): readonly string[] => [
  ...new Set(values.map(value => value.replace(/\/$/, ''))),
];

/**
 * Whether a client that is registered for these redirect URIs may use one: the same, character by character. One of a
 * loopback address that is registered without a port is valid with each port, since an app on a device uses a free
 * one.
 * https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function isRegisteredRedirect(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const [, host, port, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):([1-9]\d{0,4})((?:[/?].*)?)$/.exec(uri) ?? [];
  return host !== undefined && Number(port) < 65_536 && registered.includes(`${host}${rest}`);
}

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

import { OAuthError } from './oauth-error.ts';

/** The parameters of a form; an empty one counts as absent. */
export type Form = ReadonlyMap<string, string>;

/**
 * Parses `application/x-www-form-urlencoded`. Throws OAuthError for another content type and for a repeated parameter.
 * https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export function parseForm(contentType: string | undefined, body: string): Form {
  requireForm(contentType);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (value === '') continue;
    if (form.has(name))
      throw new OAuthError('invalid_request', `The parameter \`${name.slice(0, 50)}\` is repeated; send it once.`);
    form.set(name, value);
  }
  return form;
}

/** Throws OAuthError for another content type. */
export function requireForm(contentType: string | undefined): void {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return;
  throw new OAuthError('invalid_request', 'The body must be `application/x-www-form-urlencoded`.');
}

/**
 * An error of an endpoint for clients, answered as JSON. `description` is a sentence for developers.
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** Headers of the answer, in addition to the common ones. */
  readonly headers: Readonly<Record<string, string>>;

  /** Id of the client, once it is authenticated. */
  client: string | undefined;

  constructor(code: OAuthErrorCode, description: string, status = 400, headers: Readonly<Record<string, string>> = {}) {
    // the characters that an error_description may have
    super(description.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'"));
    this.name = 'OAuthError';
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_token_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'server_error'
  | 'temporarily_unavailable';

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Receives the results of token requests. */
export type ReportTokenEvent = (event: TokenEvent, request: IncomingMessage, response: ServerResponse) => void;

/** The result of a request for a token, or of a revocation. */
export interface TokenEvent {
  readonly what: 'issued' | 'refused' | 'revoked';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The reason of a refusal. */
  readonly error: string | undefined;
  readonly grantType: string | undefined;
  readonly scope: string | undefined;
  /** Undefined if the client has not authenticated. */
  readonly client: string | undefined;
  readonly user: string | undefined;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** The base URL of the partition. */
  readonly audience: string | undefined;
}

/** An event with the given properties only. */
export const tokenEvent = (
  what: TokenEvent['what'],
  status: number,
  known: Partial<Omit<TokenEvent, 'what' | 'status'>>,
): TokenEvent => ({
  what,
  status,
  error: undefined,
  grantType: undefined,
  scope: undefined,
  client: undefined,
  user: undefined,
  patient: undefined,
  audience: undefined,
  ...known,
});

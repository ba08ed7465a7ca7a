import type { IncomingMessage, ServerResponse } from 'node:http';

/** Is told what became of requests for tokens. */
export type Tell = (event: TokenEvent, request: IncomingMessage, response: ServerResponse) => void;

/** What became of a request for a token, or to end one. */
export interface TokenEvent {
  readonly what: 'issued' | 'refused' | 'revoked';
  /** Of the answer. */
  readonly status: number;
  /** Why it was refused. */
  readonly error: string | undefined;
  readonly grantType: string | undefined;
  readonly scope: string | undefined;
  /** Undefined where it has not shown who it is. */
  readonly client: string | undefined;
  readonly user: string | undefined;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** The base URL of the partition. */
  readonly audience: string | undefined;
}

/** An event of which nothing more is known than what is given. */
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

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';
import type { AdapterParts } from './adapter.ts';
import type { Consent } from '../sign-in/consents.ts';

/** In milliseconds. */
export interface Lifetimes {
  readonly appTokenLifetime: number;
  readonly backendTokenLifetime: number;
  readonly codeLifetime: number;
  readonly refreshIdle: number;
  readonly refreshLifetime: number;
}

/** An error that is shown on a page, since it cannot be sent to the app. */
export interface PageError {
  readonly status: number;
  /** Such as `invalid_request`. */
  readonly error: string;
  /** A sentence for developers. */
  readonly description: string | undefined;
}

export type RenderError = (request: IncomingMessage, response: ServerResponse, error: PageError) => Promise<void>;

export interface ProviderParts extends Omit<AdapterParts, 'errors' | 'refreshLifetime' | 'succeed'> {
  readonly store: Pick<Store, 'documents' | 'partition'>;
  readonly model: Model;
  readonly publicUrl: string;
  readonly lifetimes: Lifetimes;
  /**
   * Signs the cookies that bind a request to its browser, the same in all processes. Their values are also in URLs of
   * pages, so that the signature is what protects them.
   */
  readonly cookieSecret: string;
  readonly renderError: RenderError;
  /** Receives the result of a token request. */
  readonly granted: Granted;
  /** The scope of an access token by the response, if it is only a part of the scopes that oidc-provider knows. */
  readonly narrowed: WeakMap<ServerResponse, string>;
  /** Reports a mistake in a registration or an app to the operator. */
  readonly notice: (text: string) => void;
  /** Reports an internal error. */
  readonly fault: (error: unknown, requestId: string) => void;
}

/** The granted token by the response, or the reason of the refusal. */
export type Granted = WeakMap<
  ServerResponse,
  { readonly consent?: Consent | undefined; readonly scope?: string | undefined; readonly error?: string | undefined }
>;

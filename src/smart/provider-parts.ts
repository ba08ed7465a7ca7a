import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Model } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { AdapterParts } from './adapter.ts';
import type { Consent } from './consents.ts';

/** Milliseconds. */
export interface Lifetimes {
  readonly appTokenLifetime: number;
  readonly backendTokenLifetime: number;
  readonly codeLifetime: number;
  readonly refreshIdle: number;
  readonly refreshLifetime: number;
}

/** What is told on a page, since it cannot be told to the app. */
export interface PageError {
  readonly status: number;
  /** Such as `invalid_request`. */
  readonly error: string;
  /** A sentence for developers. */
  readonly description: string | undefined;
}

export type RenderError = (request: IncomingMessage, response: ServerResponse, error: PageError) => Promise<void>;

export interface ProviderParts extends Omit<AdapterParts, 'errors' | 'refreshLifetime'> {
  readonly store: Pick<Store, 'documents' | 'partition'>;
  readonly model: Model;
  readonly publicUrl: string;
  readonly lifetimes: Lifetimes;
  /**
   * Signs the cookies by which a request is bound to its browser, the same in all processes: what they hold stands in the addresses of
   * pages too, so that it alone must open none.
   */
  readonly cookieSecret: string;
  readonly renderError: RenderError;
  /** Is told what became of a request for a token. */
  readonly granted: Granted;
  /** What went wrong here, not at the client. */
  readonly fault: (error: unknown, requestId: string) => void;
}

/** By the response: what was granted, or why nothing was. */
export type Granted = WeakMap<
  ServerResponse,
  { readonly consent?: Consent | undefined; readonly scope?: string | undefined; readonly error?: string | undefined }
>;

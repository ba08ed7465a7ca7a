import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Conversation } from '../sign-in/conversation.ts';
import type { Cookies } from '../../pages/cookies.ts';
import type { RegisteredUser } from '../accounts/registered.ts';
import type { Html } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import type { PagesParts } from './parts.ts';
import type { Texts } from './texts/en.ts';

/** A request for a page, with everything that every page needs. */
export interface Visit {
  readonly parts: PagesParts;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Below the public URL: `/auth/launcher`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the posted form; empty for other requests. */
  readonly form: URLSearchParams;
  readonly language: Language;
  readonly texts: Texts;
  readonly address: string;
  readonly requestId: string;
  /** The authorization request that the path names; undefined if it names none, or it has expired. */
  readonly conversation: Conversation | undefined;
  /** The signed-in user. */
  readonly user: RegisteredUser | undefined;
  /** The secret of the session; undefined if no user is signed in. */
  readonly sessionSecret: string | undefined;
  readonly cookies: Cookies;
  /** The CSRF token for the field `token` of the page's forms. */
  readonly token: string;
  /** An absolute link for a path that begins with `/auth`. */
  readonly link: (path: string) => string;
}

/** The reply of a page. */
export type Reply =
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly title: string;
      /** The content of `main`. */
      readonly body: Html;
      /** Whether it needs the script of the patient search. */
      readonly script?: boolean;
      readonly wide?: boolean;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A part of a page, for the script. */
  | { readonly kind: 'fragment'; readonly status: number; readonly body: Html }
  /** A redirect to another page: a path that begins with `/auth`. */
  | { readonly kind: 'see'; readonly path: string }
  /** Leads out of the pages, after a form: to an app, or to the protocol endpoints. */
  | { readonly kind: 'onward'; readonly url: string; readonly app: string };

/** A page under a path. */
export interface Route {
  /** Segments that begin with `:` are variable. */
  readonly pattern: string;
  readonly get?: (visit: Visit) => Promise<Reply>;
  readonly post?: (visit: Visit) => Promise<Reply>;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Conversation } from '../conversation.ts';
import type { Cookies } from '../cookies.ts';
import type { RegisteredUser } from '../registered.ts';
import type { Html } from './html.ts';
import type { Language } from './language.ts';
import type { PagesParts } from './parts.ts';
import type { Texts } from './texts/texts.ts';

/** A request for a page, with what every page needs of it. */
export interface Visit {
  readonly parts: PagesParts;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Below the public URL: `/auth/launcher`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the form that was posted; empty for other requests. */
  readonly form: URLSearchParams;
  readonly language: Language;
  readonly texts: Texts;
  readonly address: string;
  readonly requestId: string;
  /** The authorization request that the path names; undefined where it names none, or it is over. */
  readonly conversation: Conversation | undefined;
  /** Who is signed in. */
  readonly user: RegisteredUser | undefined;
  /** Of the session; undefined where nobody is signed in. */
  readonly sessionSecret: string | undefined;
  readonly cookies: Cookies;
  /** What a form of this page is to carry in its field `token`. */
  readonly token: string;
  /** A link below the public URL, from one that begins with `/auth`. */
  readonly link: (path: string) => string;
}

/** What a page gives. */
export type Reply =
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly title: string;
      /** What stands in `main`. */
      readonly body: Html;
      /** Whether it needs the script of the patient search. */
      readonly script?: boolean;
      readonly wide?: boolean;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A part of a page, for the script. */
  | { readonly kind: 'fragment'; readonly status: number; readonly body: Html }
  /** On to another page of ours: a path that begins with `/auth`. */
  | { readonly kind: 'see'; readonly path: string }
  /** Out of the pages, after a form: to an app, or to the protocol endpoints. */
  | { readonly kind: 'onward'; readonly url: string; readonly app: string };

/** Something that is answered under a path. */
export interface Route {
  /** Segments that begin with `:` are variable. */
  readonly pattern: string;
  readonly get?: (visit: Visit) => Promise<Reply>;
  readonly post?: (visit: Visit) => Promise<Reply>;
}

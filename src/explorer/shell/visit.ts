import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../../auth/access.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Html } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import type { QueryPair } from '../../search/request.ts';
import type { ShellTexts } from './texts.ts';
import type { Ask } from './ask.ts';
import type { ExplorerParts } from './parts.ts';
import type { Place } from './place.ts';

/** A request for a page, with everything that pages need. */
export interface Visit {
  readonly parts: ExplorerParts;
  readonly engine: Engine;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path of the page as sent, below the public URL: `/r4/demo/Patient`. */
  readonly path: string;
  /** The decoded variable segments of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The parameters of the URL for FHIR, without those of the page. */
  readonly query: readonly QueryPair[];
  /** The parameters of the URL for the page: `pageParameters`, and on paths under `/explorer` all. */
  readonly options: URLSearchParams;
  /** The fields of the posted form; empty for other requests. */
  readonly form: URLSearchParams;
  readonly language: Language;
  readonly texts: ShellTexts;
  readonly requestId: string;
  readonly address: string;
  /** The partition that the path names, or that of the session; undefined without one. */
  readonly place: Place | undefined;
  /** The rights of the visitor in that partition; undefined without a signed-in visitor. */
  readonly access: Access | undefined;
  /** The name by which the visitor is signed in; undefined without a session. */
  readonly user: string | undefined;
  /** The CSRF token for the field `token` of the page's forms. */
  readonly token: string;
  /**
   * Requests JSON from the FHIR interface with the rights of the visitor: `ask('Patient?family=roy')`. The target is
   * the part of a URL below the base. Throws the FhirError that a client would get, 401 without a signed-in visitor.
   */
  readonly ask: Ask;
  /** The target of the page itself, for `ask`: the path below the base, and the query for FHIR. */
  readonly target: string;
  /** The link to a path that begins with a slash: `link('/r4/demo/Patient')`. */
  readonly link: (path: string) => string;
  /** The link to a page below the base of the partition: `record('Patient/p1')`. */
  readonly record: (target: string) => string;
}

/** The reply of a page. */
export type Reply =
  | {
      readonly kind: 'page';
      readonly status?: number;
      /** The title of the document, which a screen reader reads first. */
      readonly title: string;
      /** The content of `main`: cards. */
      readonly body: Html;
      /** A narrow page, for a form. */
      readonly narrow?: boolean;
      /** Names of style sheets and scripts in addition to those of every page. */
      readonly styles?: readonly string[];
      readonly scripts?: readonly string[];
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A part of a page, for scripts. */
  | { readonly kind: 'fragment'; readonly status?: number; readonly body: Html }
  /** Another content, such as a picture. */
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Buffer }
  /** A redirect to a path of this server. */
  | { readonly kind: 'see'; readonly path: string };

/** A page under a path. */
export interface Page {
  /** Segments that begin with `:` are variable; `*` at the end is any rest. */
  readonly pattern: string;
  readonly get?: (visit: Visit) => Promise<Reply> | Reply;
  readonly post?: (visit: Visit) => Promise<Reply> | Reply;
}

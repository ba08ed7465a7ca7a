import type { Html } from './html.ts';

/** A page with its frame (document.ts). */
export interface PageReply {
  readonly kind: 'page';
  /** 200 if undefined. */
  readonly status?: number;
  /** The title of the document, which a screen reader reads first. */
  readonly title: string;
  /** The content of `main`: cards. */
  readonly body: Html;
  /** The width of the site's pages if undefined. */
  readonly width?: PageWidth;
  /** Names of style sheets and scripts in addition to those of every page. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The width of the content: for a form, for a form with choices, or for records. */
export type PageWidth = 'narrow' | 'middle' | 'full';

/** The reply of a page. */
export type Reply =
  | PageReply
  /** A part of a page, for scripts. */
  | { readonly kind: 'fragment'; readonly status?: number; readonly body: Html }
  /** Another content, such as a picture. */
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Buffer }
  /** A file to keep under a name, which `send` sends with headers. */
  | {
      readonly kind: 'download';
      /** Letters, digits and `-_.` */
      readonly name: string;
      readonly send: (headers: readonly string[]) => Promise<void>;
    }
  /** A redirect to a path of this server. */
  | { readonly kind: 'see'; readonly path: string };

import { html } from './html.ts';
import type { Html, Markup } from './html.ts';
import type { Language } from './language.ts';
import { facts } from './parts.ts';
import type { PageReply } from './reply.ts';
import { pageTexts } from './texts.ts';
import type { PageTexts } from './texts.ts';

/** What may be wrong with the method or the form of a request. */
export type FormProblem = keyof PageTexts['problems'];

/** An error that ends in a page: what went wrong and what to do, by the key of its text. */
export class PageProblem<Name extends string = FormProblem> extends Error {
  readonly status: number;
  readonly problem: Name;
  /** The headers of its page, such as Allow. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, problem: Name, headers: Readonly<Record<string, string>> = {}) {
    super(problem);
    this.name = 'PageProblem';
    this.status = status;
    this.problem = problem;
    this.headers = headers;
  }
}

/** A link with its text. */
export interface PageLink {
  readonly href: string;
  readonly text: string;
}

/** The content of the page of an error. */
export interface ErrorContent {
  readonly status: number;
  readonly title: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What to do. */
  readonly todo?: string;
  /** What went wrong in each place. */
  readonly issues?: readonly Html[];
  /** The page that may help: a button. */
  readonly again?: PageLink | undefined;
  /** Where else to continue. */
  readonly links?: readonly PageLink[];
  /** For support, folded. */
  readonly details?: {
    /** The error as the protocol has it, such as `invalid_request`, with its description in English. */
    readonly code?: string | undefined;
    readonly description?: string | undefined;
    readonly requestId?: string | undefined;
  };
}

/** The page of an error: what went wrong, what to do, and where to continue. */
export function errorPage(
  language: Language,
  { status, title, headers = {}, todo, issues = [], again, links = [], details = {} }: ErrorContent,
): PageReply {
  return {
    kind: 'page',
    status,
    title,
    headers,
    body: html`<div class="card">
      <h1>${title}</h1>
      ${todo !== undefined && html`<p class="lead">${todo}</p>`}
      ${
        issues.length > 0 &&
        html`<ul class="issues">
          ${issues.map(issue => html`<li>${issue}</li>`)}
        </ul>`
      }
      ${again !== undefined && html`<p><a class="button" href="${again.href}">${again.text}</a></p>`}
      ${
        links.length > 0 &&
        html`<ul class="codes">
          ${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
        </ul>`
      }
      ${detailsPart(language, details)}
    </div>`,
  };
}

function detailsPart(
  language: Language,
  { code, description, requestId }: NonNullable<ErrorContent['details']>,
): Markup {
  if (code === undefined && requestId === undefined) return undefined;
  const { details, errorCode, requestNumber } = pageTexts[language];
  const error = html`<code>${code}</code>${
      description !== undefined && html`<br /><span lang="en">${description}</span>`
    }`;
  return html`<details>
    <summary>${details}</summary>
    ${facts([
      [errorCode, code !== undefined && error],
      [requestNumber, requestId !== undefined && html`<code>${requestId}</code>`],
    ])}
  </details>`;
}

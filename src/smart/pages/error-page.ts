import { html } from '../../pages/html.ts';
import type { Problem } from './problem.ts';
import type { Reply, Visit } from './visit.ts';

/** Details beside the problem. */
export interface ErrorDetails {
  /** Such as `invalid_request`. */
  readonly code?: string | undefined;
  /** For app developers, in English. */
  readonly description?: string | undefined;
  readonly requestId?: string;
  /** A link that may help. */
  readonly again?: { readonly href: string; readonly text: string };
}

/** A page that says what went wrong and what to do. */
export function errorPage(
  { texts }: Pick<Visit, 'texts'>,
  { status, problem, headers }: Problem,
  { code, description, requestId, again }: ErrorDetails = {},
): Reply & { kind: 'page' } {
  const { title, todo } = texts.problems[problem];
  const words = texts.problem;
  return {
    kind: 'page',
    status,
    title,
    headers,
    body: html`<div class="card">
      <h1>${title}</h1>
      <p class="lead">${todo}</p>
      ${again !== undefined && html`<p><a class="button" href="${again.href}">${again.text}</a></p>`}
      ${
        (code !== undefined || requestId !== undefined) &&
        html`<details>
          <summary>${words.details}</summary>
          <dl class="facts">
            ${
              code !== undefined &&
              html`<div>
                <dt>${words.code}</dt>
                <dd>
                  <code>${code}</code>${description !== undefined && html`<br /><span lang="en">${description}</span>`}
                </dd>
              </div>`
            }
            ${
              requestId !== undefined &&
              html`<div>
                <dt>${words.request}</dt>
                <dd><code>${requestId}</code></dd>
              </div>`
            }
          </dl>
        </details>`
      }
    </div>`,
  };
}

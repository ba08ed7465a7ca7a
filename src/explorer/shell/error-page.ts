import type { FhirError } from '../../fhir/error.ts';
import { html } from '../../pages/html.ts';
import type { Reply, Visit } from './visit.ts';

/** An error of the FHIR interface as a page: its issues, as a client would get them. */
export function errorPage({ texts }: Visit, { status, issues, headers }: FhirError): Reply {
  const title = texts.errors[status === 404 || status === 410 ? 'missing' : status < 500 ? 'refused' : 'failed'];
  return {
    kind: 'page',
    status,
    title,
    headers,
    body: html`<div class="card">
      <h1>${title}</h1>
      <ul class="issues">
        ${issues.map(
          ({ text, expression, code }) =>
            html`<li>
              <p lang="en">${text}</p>
              <p class="hint"><code>${code}</code>${expression !== undefined && html` · <code>${expression}</code>`}</p>
            </li>`,
        )}
      </ul>
    </div>`,
  };
}

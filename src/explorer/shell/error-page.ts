import type { FhirError } from '../../fhir/error.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import { hereOf, signInPath } from './sign-in-path.ts';
import type { Reply, Visit } from './visit.ts';

/** The form with the search of the page, if the page is one of results of a type. */
function searchFormOf({ place, params, path, target, engine }: Visit): string | undefined {
  const { type = '' } = params;
  if (place === undefined || path !== `/r4/${place.partition.id}/${type}` || !engine.model.types.has(type))
    return undefined;
  return `/explorer/${place.partition.id}/types/${target}`;
}

/** An error of the FHIR interface as a page: its issues, as a client would get them, and where to continue. */
export function errorPage(visit: Visit, { status, issues, headers }: FhirError): Reply {
  const { texts } = visit;
  const codes = new Set(issues.map(({ code }) => code));
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
      ${onward(visit, codes)}
    </div>`,
  };
}

/**
 * Links to the sign-in after a refusal, which leads back here, to the form of a search that is not valid, and to the
 * first page of the partition or the server.
 */
function onward(visit: Visit, codes: ReadonlySet<string>): Html {
  const { texts, place, link, engine } = visit;
  const isSignIn = codes.has('forbidden') && engine.secured && place !== undefined;
  const form = codes.has('forbidden') ? undefined : searchFormOf(visit);
  const home = link(place === undefined ? '/' : `/r4/${place.partition.id}`);
  return html`<ul class="codes">
    ${isSignIn && html`<li><a href="${link(signInPath(place, hereOf(visit)))}">${texts.errors.signIn}</a></li>`}
    ${form !== undefined && html`<li><a href="${link(form)}">${texts.errors.form}</a></li>`}
    <li><a href="${home}">${place === undefined ? texts.errors.start : texts.sections.interface}</a></li>
  </ul>`;
}

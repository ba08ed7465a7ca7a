import type { FhirError } from '../../fhir/error.ts';
import { html } from '../../pages/html.ts';
import { errorPage, PageProblem } from '../../pages/problem.ts';
import type { PageLink } from '../../pages/problem.ts';
import type { Reply } from '../../pages/reply.ts';
import { pageTexts } from '../../pages/texts.ts';
import { hereOf, signInPath } from './paths.ts';
import type { Visit } from './visit.ts';

/** The page of an error of the FHIR interface, with the issues that a client would get, or of a problem with a form. */
export function failurePage(visit: Visit, failure: FhirError | PageProblem): Reply {
  const { texts, language } = visit;
  const { status, headers } = failure;
  if (failure instanceof PageProblem) {
    const { title, todo } = pageTexts[language].problems[failure.problem];
    return errorPage(language, { status, headers, title, todo, links: linksOnward(visit, false) });
  }
  const { issues } = failure;
  const title = texts.errors[status === 404 || status === 410 ? 'missing' : status < 500 ? 'refused' : 'failed'];
  return errorPage(language, {
    status,
    headers,
    title,
    issues: issues.map(
      ({ text, expression, code }) =>
        html`<p lang="en">${text}</p>
          <p class="hint"><code>${code}</code>${expression !== undefined && html` · <code>${expression}</code>`}</p>`,
    ),
    links: linksOnward(
      visit,
      issues.some(({ code }) => code === 'forbidden'),
    ),
  });
}

/**
 * Links to the sign-in after a refusal, which leads back here, to the form of a search that is not valid, and to the
 * first page of the partition or the server.
 */
function linksOnward(visit: Visit, isForbidden: boolean): readonly PageLink[] {
  const {
    texts,
    place,
    link,
    engine,
    params: { type = '' },
    path,
    target,
    pageLink,
  } = visit;
  if (place === undefined) return [{ href: link('/'), text: texts.errors.start }];
  const home = `/r4/${place.partition.id}`;
  const isSearch = path === `${home}/${type}` && engine.model.types.has(type);
  return [
    ...(isForbidden && engine.secured
      ? [{ href: link(signInPath(place, hereOf(visit))), text: texts.errors.signIn }]
      : []),
    ...(isSearch && !isForbidden ? [{ href: pageLink(`types/${target}`), text: texts.errors.form }] : []),
    { href: link(home), text: texts.sections.interface },
  ];
}

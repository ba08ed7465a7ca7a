import { assetsBelow } from '../../pages/assets.ts';
import type { Brand } from '../../pages/brand.ts';
import { html } from '../../pages/html.ts';
import { errorPage } from '../../pages/problem.ts';
import type { ErrorContent, PageProblem } from '../../pages/problem.ts';
import type { PageReply } from '../../pages/reply.ts';
import type { Navigation, Site } from '../../pages/site.ts';
import { pageTexts } from '../../pages/texts.ts';
import { sessionCookie } from '../sign-in/session.ts';
import type { FramedVisit, ProblemName } from './visit.ts';

/** Style, script and logo of the pages. */
export const assets = assetsBelow('/auth/assets/');

/** The frame of the pages of sign-in. Apps may open them in a window that reports back to its opener. */
export const signInSite = (publicUrl: string, frameAncestors: readonly string[], brand: Brand): Site<FramedVisit> => ({
  publicUrl,
  brand,
  assets,
  styles: ['style.css'],
  width: 'narrow',
  policy: { frameAncestors, images: [], isSeparate: false },
  headers: { Vary: 'Accept-Language, Cookie' },
  navigation,
});

function navigation({ path, query, language, user, sessionSecret, cookies, link }: FramedVisit): Navigation {
  // otherwise the session has just changed
  const isSignedIn = cookies.read(sessionCookie) === sessionSecret;
  const signOut = html`<a href="${link('/auth/sign-out')}">${pageTexts[language].signOut}</a>`;
  return {
    bottom: isSignedIn && user !== undefined && html`<p><bdi>${user.name}</bdi> · ${signOut}</p>`,
    languageLink(other) {
      const search = new URLSearchParams(query);
      search.set('language', other);
      return link(`${path}?${search.toString()}`);
    },
  };
}

/** The page of a problem: what went wrong, what to do, and what helps. */
export function problemPage(
  { language, texts }: Pick<FramedVisit, 'language' | 'texts'>,
  { status, problem, headers }: PageProblem<ProblemName>,
  more: Pick<ErrorContent, 'again' | 'details'> = {},
): PageReply {
  const { title, todo } = { ...pageTexts[language].problems, ...texts.problems }[problem];
  return errorPage(language, { status, headers, title, todo, ...more });
}

/**
 * The page between a form and an address outside of the pages. It continues automatically by the header Refresh, or by
 * its link: `form-action` of the page with the form would apply to a redirect, in Chromium also to the app's own
 * redirects, which are unknown here. The link is made here, never taken from a form.
 * https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
 */
export function onwardPage({ texts }: Pick<FramedVisit, 'texts'>, url: string, app: string): PageReply {
  const { title, toApp, link } = texts.onward;
  return {
    kind: 'page',
    title,
    headers: { Refresh: `0; url=${url}` },
    body: html`<div class="card">
      <h1>${title}</h1>
      <p role="status">${toApp(app)}</p>
      <p><a class="button" href="${url}">${link}</a></p>
    </div>`,
  };
}

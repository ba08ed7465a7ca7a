import { html } from '../../pages/html.ts';
import type { Reply, Visit } from './visit.ts';

/**
 * The page between a form and an address outside of the pages. It continues automatically by the header Refresh, or by
 * its link: `form-action` of the page with the form would apply to a redirect, in Chromium also to the app's own
 * redirects, which are unknown here. The link is made here, never taken from a form.
 * https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
 */
export function onwardPage({ texts }: Pick<Visit, 'texts'>, url: string, app: string): Reply & { kind: 'page' } {
  const { title, toApp, link } = texts.onward;
  return {
    kind: 'page',
    status: 200,
    title,
    headers: { Refresh: `0; url=${url}` },
    body: html`<div class="card">
      <h1>${title}</h1>
      <p role="status">${toApp(app)}</p>
      <p><a class="button" href="${url}">${link}</a></p>
    </div>`,
  };
}

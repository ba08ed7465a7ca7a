import { html } from './html.ts';
import type { Reply, Visit } from './visit.ts';

/**
 * The page between a form and what is not ours. It goes on at once by the header Refresh, or by its link: a redirect would be held
 * to `form-action` of the page with the form, in Chromium also behind the app's own redirects, which nobody here knows. What the
 * link names was made here, never by what a form says. https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
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

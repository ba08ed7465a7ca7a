import { searchUrlOf } from '../../interaction/search/explain/url.ts';
import { html } from '../../pages/html.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { explanationView } from './explanation-view.ts';
import { explainTexts } from './texts.ts';

/**
 * Explains a search (`query`: a URL, absolute or below the base) by `_explain`, with the rights of the visitor. Throws
 * the FhirError that a client would get.
 */
export async function explainPage({ engine, options, language, ask, place, link }: Visit): Promise<Reply> {
  const texts = explainTexts[language];
  const { model } = engine;
  const query = options.get('query')?.trim() ?? '';
  const isOffered = model.explainScopes.size > 0;
  const answer = query === '' || !isOffered ? undefined : await ask(explained(query));
  return {
    kind: 'page',
    title: texts.title,
    styles: ['record.css', 'definitions.css'],
    body: html`<div class="card">
      <h1>${texts.title}</h1>
      <p class="lead">${texts.lead}</p>
      ${
        isOffered
          ? html`<form method="get" action="${link(`/explorer/${place?.partition.id ?? ''}/explain`)}">
              <div class="field">
                <label for="query">${texts.query}</label>
                <p class="hint" id="query-hint">${texts.hint}</p>
                <input id="query" name="query" type="search" value="${query}" aria-describedby="query-hint" />
              </div>
              <div class="go"><button>${texts.submit}</button></div>
            </form>`
          : html`<p>${texts.notOffered}</p>`
      }
      ${answer !== undefined && explanationView(answer.json, language)}
    </div>`,
  };

  /** The target with `_explain`. Throws FhirError 400 for a URL that is no search. */
  function explained(url: string): string {
    const base = place?.base ?? '';
    const relative = (url.startsWith(base) ? url.slice(base.length) : url).replace(/^\//, '');
    searchUrlOf(model, relative, base);
    return `${relative}${relative.includes('?') ? '&' : '?'}_explain=true`;
  }
}

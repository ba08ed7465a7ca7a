import { html } from '../../pages/html.ts';
import { resultLinks } from '../results/links.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { tabs } from './tabs.ts';
import { versionsTable } from './versions.ts';
import { textsOf } from './view.ts';

/** The history of a record, of a type or of the whole partition, page by page. */
export async function versionsPage(visit: Visit): Promise<Reply> {
  const { params, ask, target, language, engine, record, query } = visit;
  const { json, status } = await ask(target);
  const { type: name, id } = params;
  const texts = textsOf(language);
  const type = engine.model.types.get(name ?? '');
  const title = [texts.versions, ...(name === undefined ? [] : [id === undefined ? name : `${name}/${id}`])].join(
    ' – ',
  );
  const isLater = query.some(([parameter]) => parameter === '_page_token');
  const of = id === undefined ? 'several' : isLater ? 'older' : 'newest';
  const next = resultLinks(visit, json, undefined).page('next');
  return {
    kind: 'page',
    title,
    status,
    styles: ['record.css'],
    body: html`<div class="card">
      <h1><bdi>${title}</bdi></h1>
      ${type !== undefined && id !== undefined && tabs(visit, type, id, 'versions')}
      ${versionsTable(json, of, { language, texts, record })}
      ${next !== undefined && html`<p><a href="${next}" rel="next">${texts.older}</a></p>`}
    </div>`,
  };
}

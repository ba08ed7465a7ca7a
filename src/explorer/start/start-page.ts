import { html } from '../../pages/html.ts';
import type { Reply, Visit } from '../shell/visit.ts';

/** The first page: the partitions and where to begin. */
export async function startPage({ engine, texts, link }: Visit): Promise<Reply> {
  const words = texts.start;
  const partitions = await engine.store.partitions.list();
  return {
    kind: 'page',
    title: words.title,
    body: html`<div class="card">
      <h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      <h2>${words.partitions}</h2>
      <ul>
        ${partitions.map(({ id }) => html`<li><a href="${link(`/r4/${id}/metadata`)}">${id}</a></li>`)}
      </ul>
    </div>`,
  };
}

import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Reply, Visit } from '../shell/visit.ts';

/** The results of a search of a type, as a table. */
export async function resultsPage({ ask, target, params, record }: Visit): Promise<Reply> {
  const type = params['type'] ?? '';
  const { json } = await ask(target);
  const rows = objectsOf(json['entry']).flatMap(({ resource }) => (isObject(resource) ? [resource] : []));
  return {
    kind: 'page',
    title: type,
    body: html`<div class="card">
      <h1>${type}</h1>
      <ul>
        ${rows.map(row => {
          const of = `${asString(row['resourceType']) ?? ''}/${asString(row['id']) ?? ''}`;
          return html`<li><a href="${record(of)}">${of}</a></li>`;
        })}
      </ul>
    </div>`,
  };
}

import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import type { Visit } from '../shell/visit.ts';
import { textsOf } from './view.ts';

/** The views of a record. */
export type Tab = 'sheet' | 'overview' | 'json' | 'xml' | 'check' | 'versions';

/** The links between the views of a record; `overview` only for records that have a compartment. */
export function tabs(visit: Visit, type: ResourceType, id: string, current: Tab | undefined): Html {
  const { record, link, place, engine, language } = visit;
  const texts = textsOf(language);
  const own = `${type.name}/${id}`;
  const hasOverview = engine.model.compartments.has(type.name);
  const all: readonly (readonly [tab: Tab, href: string])[] = [
    ['sheet', record(own)],
    ...(hasOverview ? [['overview', link(`/explorer/${place?.partition.id ?? ''}/overview/${own}`)] as const] : []),
    ['check', record(`${own}?_view=check`)],
    ['json', record(`${own}?_view=json`)],
    ['xml', record(`${own}?_view=xml`)],
    ...(type.interactions.has('history-instance') ? [['versions', record(`${own}/_history`)] as const] : []),
  ];
  return html`<nav class="tabs" aria-label="${texts.tabs}">
    <ul>
      ${all.map(
        ([tab, href]) =>
          html`<li><a href="${href}" ${tab === current && html` aria-current="page"`}>${texts[tab]}</a></li>`,
      )}
    </ul>
  </nav>`;
}

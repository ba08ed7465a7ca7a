import type { Decimals } from '../../fhir/json.ts';
import { terminologyOf } from '../../terminology/loaded.ts';
import { createLabels } from '../definition/label.ts';
import type { Visit } from '../shell/visit.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Html } from '../../pages/html.ts';
import { tabs } from '../../pages/parts.ts';
import { noFindings } from './findings.ts';
import { textsOf } from './view.ts';
import type { RecordView } from './view.ts';

/**
 * The view of records of a visit. `profiles`: canonicals of the profiles whose labels are used. Throws Error outside of
 * a partition.
 */
export function viewOf(visit: Visit, profiles: readonly string[], decimals: Decimals = new Map()): RecordView {
  const { engine, language, place, record, access } = visit;
  const { model, definitions } = engine;
  if (place === undefined) throw new Error('A record belongs to a partition');
  return {
    model,
    language,
    texts: textsOf(language),
    base: place.base,
    self: access === undefined || access === 'open' ? undefined : access.fhirUser?.reference,
    record,
    labelOf: createLabels(canonical => model.snapshot(canonical), profiles, language),
    system: url => terminologyOf(definitions).system(url, undefined),
    decimals,
    findings: noFindings,
  };
}

/** The views of a record. */
export type Tab = 'sheet' | 'overview' | 'json' | 'xml' | 'check' | 'versions';

/** The links between the views of a record; `overview` only for records that have a compartment. */
export function recordTabs(visit: Visit, type: ResourceType, id: string, current: Tab | undefined): Html {
  const { record, pageLink, engine, language } = visit;
  const texts = textsOf(language);
  const own = `${type.name}/${id}`;
  const hasOverview = engine.model.compartments.has(type.name);
  const all: readonly (readonly [tab: Tab, href: string])[] = [
    ['sheet', record(own)],
    ...(hasOverview ? [['overview', pageLink(`overview/${own}`)] as const] : []),
    ['check', record(`${own}?_view=check`)],
    ['json', record(`${own}?_view=json`)],
    ['xml', record(`${own}?_view=xml`)],
    ...(type.interactions.has('history-instance') ? [['versions', record(`${own}/_history`)] as const] : []),
  ];
  return tabs(
    texts.tabs,
    all.map(([tab, href]) => ({ href, text: texts[tab], isCurrent: tab === current })),
  );
}

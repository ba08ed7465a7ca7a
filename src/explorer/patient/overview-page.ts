import { fhirError } from '../../fhir/error.ts';
import { parseJson } from '../../fhir/json.ts';
import { asObject, isObject, objectsOf } from '../../fhir/json-object.ts';
import { fewAtOnce } from '../../store/few-at-once.ts';
import { html } from '../../pages/html.ts';
import { typeName } from '../../pages/type-name.ts';
import { shorten } from '../../validation/report.ts';
import { viewOf } from '../record/open-view.ts';
import { tabs } from '../record/tabs.ts';
import { recordTitle } from '../record/title.ts';
import type { Reply, Visit } from '../shell/visit.ts';
import { membersOf } from './members.ts';
import type { Member } from './members.ts';
import { overviewBody } from './overview.ts';
import type { MemberRecords, Overview } from './overview.ts';
import { measuredOf } from './series.ts';

/** Searches at a time; others wait for their threads too. */
const atOnce = 4;

/** The newest records of a type on the page; more of types with measured values. */
const mostRecords = { other: 60, measured: 200 };

/**
 * What belongs to a record that has a compartment, such as a patient, at a glance: one search for each type that the
 * visitor may search. Throws FhirError 404 for a type without a compartment.
 */
export async function overviewPage(visit: Visit): Promise<Reply> {
  const { engine, params, access, ask, language, place, link, options } = visit;
  const { type: name = '', id = '' } = params;
  const { model } = engine;
  const type = model.types.get(name);
  if (type === undefined || !model.compartments.has(name))
    throw fhirError(404, 'not-found', `\`${shorten(name)}\` has no compartment here, so there is no overview of it.`);
  const own = `${name}/${id}`;
  const { json: patient } = await ask(own);
  const members = access === undefined ? [] : membersOf(model, name, access);
  const answers = await fewAtOnce(members, atOnce, async member => {
    const search = searchOf(member, own);
    return { member, search, text: (await ask(`${search}&_count=${countOf(member)}`)).text };
  });
  const decimals = new Map<object, Readonly<Record<string, string>>>();
  const found = answers.map(({ member, search, text }): MemberRecords => {
    const parsed = parseJson(text);
    for (const [owner, digits] of parsed.decimals) decimals.set(owner, digits);
    const entries = objectsOf(asObject(parsed.value)['entry']);
    const records = entries.flatMap(({ resource }) => (isObject(resource) ? [resource] : []));
    const title = typeName(model, member.type.name, language);
    return { member, records: records.filter(one => one['resourceType'] === member.type.name), title, search };
  });
  const view = viewOf(visit, [], decimals);
  const partition = await engine.store.partition(place?.partition.id ?? '');
  const path = `/explorer/${place?.partition.id ?? ''}/overview/${own}`;
  const title = recordTitle(patient, view) ?? own;
  const body = overviewBody({
    found,
    view,
    zone: partition?.settings.zone ?? 'UTC',
    now: engine.now(),
    years: yearsOf(options.get('years')),
    firstChart: Math.trunc(Math.max(0, Number(options.get('charts')) || 0)),
    link: chosen => link(`${path}?${new URLSearchParams(chosen).toString()}`),
  });
  return {
    kind: 'page',
    title: `${title} – ${own}`,
    styles: ['record.css', 'overview.css'],
    body: html`<div class="card">
      <p class="crumbs">${name} / ${id}</p>
      <h1><bdi>${title}</bdi></h1>
      ${tabs(visit, type, id, 'overview')} ${body}
    </div>`,
  };
}

/** All records of the type that belong to the record, newest first. */
function searchOf({ type, by, sort }: Member, own: string): string {
  const order = sort === undefined ? [] : [['_sort', sort] as const];
  return `${type.name}?${new URLSearchParams([[by, own], ...order].map(pair => [...pair])).toString()}`;
}

const countOf = ({ type }: Member): number =>
  Math.min(type.pageSize.max, measuredOf(type.definition).length > 0 ? mostRecords.measured : mostRecords.other);

/** A number of years, `all`, or `recent` if nothing else is chosen. */
function yearsOf(text: string | null): Overview['years'] {
  if (text === 'all') return 'all';
  const years = Math.trunc(Number(text ?? 0));
  return years >= 1 && years <= 150 ? years : 'recent';
}

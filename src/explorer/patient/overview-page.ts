import { isAllowed } from '../../auth/may.ts';
import { fhirError } from '../../fhir/error.ts';
import { html } from '../../pages/html.ts';
import { typeName } from '../../pages/type-name.ts';
import { shorten } from '../../validation/report.ts';
import { viewOf } from '../record/open-view.ts';
import { tabs } from '../record/tabs.ts';
import { marksOf, printMarks, recordTitle } from '../record/title.ts';
import { notShown } from '../shell/not-shown.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { readMembers } from './member-records.ts';
import { membersOf } from './members.ts';
import { overviewBody } from './overview.ts';
import type { Overview } from './overview.ts';

/**
 * What belongs to a record that has a compartment, such as a patient, at a glance, of the types that
 * the visitor may search. Throws FhirError 404 for a type without a compartment.
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
  const members = membersOf(model, name);
  const allowed = members.filter(
    one => access !== undefined && isAllowed(access, { interaction: 'search-type', resourceType: one.type.name }),
  );
  const { found, decimals } = await readMembers(visit, own, allowed);
  const hidden = notShown(
    visit,
    members.map(one => one.type),
  );
  const view = viewOf(visit, [], decimals);
  const partition = await engine.store.partition(place?.partition.id ?? '');
  const path = `/explorer/${place?.partition.id ?? ''}/overview/${own}`;
  const title = recordTitle(patient, view) ?? own;
  const body = overviewBody({
    found: found.map(one => ({ ...one, title: typeName(model, one.member.type.name, language) })),
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
      <h1><bdi>${title}</bdi>${printMarks(marksOf(patient, view))}</h1>
      ${tabs(visit, type, id, 'overview')} ${hidden} ${body}
    </div>`,
  };
}

/** A number of years, `all`, or `recent` if nothing else is chosen. */
function yearsOf(text: string | null): Overview['years'] {
  if (text === 'all') return 'all';
  const years = Math.trunc(Number(text ?? 0));
  return years >= 1 && years <= 150 ? years : 'recent';
}

import { isAllowed } from '../../auth/may.ts';
import { fhirError } from '../../fhir/error.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { typeName } from '../../pages/type-name.ts';
import { shorten } from '../../validation/report.ts';
import { recordTabs, viewOf } from '../record/open-view.ts';
import { marksOf, printMarks, recordTitle } from '../record/title.ts';
import { notShown } from '../shell/not-shown.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { shortTime } from '../../pages/time-text.ts';
import type { RecordView } from '../record/view.ts';
import { readMembers } from './member-records.ts';
import type { FoundRecords } from './member-records.ts';
import { chartSvg } from './chart.ts';
import { eventOf } from './events.ts';
import type { PatientEvent } from './events.ts';
import { membersOf } from './members.ts';
import { seriesOf } from './series.ts';
import type { Series } from './series.ts';
import { patientTexts } from './texts.ts';
import { timelineSvg } from './timeline.ts';
import { numberText } from './scale.ts';

/** The newest records of a type that belong to the patient, with the name of the type for people. */
interface MemberRecords extends FoundRecords {
  readonly title: string;
}

/** What an overview needs. `zone`: IANA name of dates without an offset. */
interface Overview {
  readonly found: readonly MemberRecords[];
  readonly view: RecordView;
  readonly zone: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /** The years before now on the timeline; `recent`: five if there is anything in them, else all. */
  readonly years: number | 'all' | 'recent';
  /** The first chart of the page. */
  readonly firstChart: number;
  /** The link to the same page with other options. */
  readonly link: (options: Readonly<Record<string, string>>) => string;
}

/**
 * What belongs to a record that has a compartment, such as a patient, at a glance, of the types that
 * the visitor may search. Throws FhirError 404 for a type without a compartment.
 */
export async function overviewPage(visit: Visit): Promise<Reply> {
  const { engine, params, access, ask, language, place, pageLink, options } = visit;
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
  const title = recordTitle(patient, view) ?? own;
  const body = overviewBody({
    found: found.map(one => ({ ...one, title: typeName(model, one.member.type.name, language) })),
    view,
    zone: partition?.settings.zone ?? 'UTC',
    now: engine.now(),
    years: yearsOf(options.get('years')),
    firstChart: Math.trunc(Math.max(0, Number(options.get('charts')) || 0)),
    link: chosen => pageLink(`overview/${own}?${new URLSearchParams(chosen).toString()}`),
  });
  return {
    kind: 'page',
    title: `${title} – ${own}`,
    styles: ['record.css', 'overview.css'],
    body: html`<div class="card">
      <p class="crumbs">${name} / ${id}</p>
      <h1><bdi>${title}</bdi>${printMarks(marksOf(patient, view))}</h1>
      ${recordTabs(visit, type, id, 'overview')} ${hidden} ${body}
    </div>`,
  };
}

/** A number of years, `all`, or `recent` if nothing else is chosen. */
function yearsOf(text: string | null): Overview['years'] {
  if (text === 'all') return 'all';
  const years = Math.trunc(Number(text ?? 0));
  return years >= 1 && years <= 150 ? years : 'recent';
}

const mostCharts = 12;
const mostRows = 8;
const year = 365.25 * 86_400_000;

/** The timeline, the charts and the newest records of a patient. */
function overviewBody(overview: Overview): Html {
  const { found, view, zone } = overview;
  const texts = patientTexts[view.language];
  const lanes = found.map(one => ({
    ...one,
    events: one.records.flatMap(record => eventOf(record, one.member, view, zone) ?? []).toSorted(newestFirst),
  }));
  const filled = lanes.filter(({ events }) => events.length > 0);
  if (filled.length === 0) return html`<p>${found.length === 0 ? texts.noTypes : texts.nothing}</p>`;
  const series = found.flatMap(({ member, records }) => seriesOf(records, member, view, zone));
  return html`${timelinePart(filled, overview)} ${chartsPart(series, overview)}
    <div class="lists">${filled.map(lane => listPart(lane, view))}</div>`;
}

/** Events without a date come last. */
const newestFirst = (a: PatientEvent, b: PatientEvent): number =>
  (b.when?.start ?? -Infinity) - (a.when?.start ?? -Infinity) || 0;

type FilledLane = MemberRecords & { readonly events: readonly PatientEvent[] };

function timelinePart(lanes: readonly FilledLane[], { view, now, years: wanted, link }: Overview): Markup {
  const { language, record } = view;
  const texts = patientTexts[language];
  const spans = lanes.flatMap(({ events }) => events.flatMap(({ when }) => when ?? []));
  if (spans.length === 0) return undefined;
  const first = Math.min(...spans.map(({ start }) => start));
  const last = Math.max(now, ...spans.map(({ start, end }) => end ?? start));
  const isRecent = spans.some(({ start, end }) => (end ?? start) > now - 5 * year);
  const years = wanted !== 'recent' ? wanted : isRecent ? 5 : 'all';
  const from = years === 'all' ? first : Math.max(first, now - years * year);
  const to = Math.min(last, now + 2 * year) + 20 * 86_400_000;
  const choice = (count: number | 'all'): Html => {
    const text = count === 'all' ? texts.always : texts.years(count);
    const href = link({ years: String(count) });
    return html`<li><a href="${href}" ${count === years && html` aria-current="true"`}>${text}</a></li>`;
  };
  return html`<section>
    <h2 id="timeline">${texts.timeline}</h2>
    <nav class="choices" aria-label="${texts.interval}">
      <ul>
        ${([1, 5, 'all'] as const).map(choice)}
      </ul>
    </nav>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="timeline">
      ${timelineSvg({ lanes, from: Math.min(from, to - year / 12), to, now, language, record })}
    </div>
  </section>`;
}

function chartsPart(series: readonly Series[], overview: Overview): Markup {
  const { view, firstChart, link, years } = overview;
  const texts = patientTexts[view.language];
  const shown = series.slice(firstChart, firstChart + mostCharts);
  if (shown.length === 0) return undefined;
  const more = series.length - firstChart - shown.length;
  const next = { charts: String(firstChart + mostCharts), years: String(years) };
  return html`<section>
    <h2 id="charts">${texts.charts}</h2>
    <div class="charts">${shown.map(one => chartFigure(one, overview))}</div>
    ${more > 0 && html`<p><a href="${link(next)}#charts">${texts.moreCharts} (${more})</a></p>`}
  </section>`;
}

function chartFigure(series: Series, { view, found }: Overview): Html {
  const texts = patientTexts[view.language];
  const { title, points, token, member, range } = series;
  const latest = points.at(-1);
  const of = found.find(one => one.member === member);
  const canSearch = token !== undefined && member.type.parameters.get('code')?.type === 'token';
  const search = of && canSearch ? `${of.search}&${new URLSearchParams({ code: token }).toString()}` : undefined;
  return html`<figure class="chart">
    <figcaption>
      <strong>${search === undefined ? title : html`<a href="${view.record(search)}">${title}</a>`}</strong>
      <span
        >${latest?.text}
        <small>${texts.latest}, ${shortTime(latest?.when ?? '', view.language)}</small>
        ${range !== undefined && html`<small>· ${texts.reference(rangeText(series, view))}</small>`}</span
      >
    </figcaption>
    ${chartSvg(series, { language: view.language, texts })}
  </figure>`;
}

function rangeText({ range, unit }: Series, { language }: RecordView): string {
  const [low, high] = [range?.low, range?.high].map(one => (one === undefined ? undefined : numberText(one, language)));
  return `${low === undefined ? `≤ ${high}` : high === undefined ? `≥ ${low}` : `${low}–${high}`} ${unit}`;
}

function listPart({ title, events, search }: FilledLane, view: RecordView): Html {
  const texts = patientTexts[view.language];
  const rows = events.slice(0, mostRows);
  return html`<section>
    <h2>${title}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${texts.date}</th>
          <th scope="col">${texts.what}</th>
          <th scope="col">${texts.status}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(event => eventRow(event, view))}
      </tbody>
    </table>
    <p><a href="${view.record(search)}">${texts.all}</a> <small>(${texts.newest(rows.length)})</small></p>
  </section>`;
}

function eventRow({ target, title, marks, status, when }: PatientEvent, { language, record }: RecordView): Html {
  return html`<tr>
    <td>
      ${when === undefined ? patientTexts[language].undated : shortTime(when.text, language)}${
        when?.endText !== undefined &&
        when.endText.slice(0, 10) !== when.text.slice(0, 10) &&
        html` – ${shortTime(when.endText, language)}`
      }
    </td>
    <td><a href="${record(target)}">${title}</a>${printMarks(marks)}</td>
    <td>${status !== undefined && html`<span lang="en">${status}</span>`}</td>
  </tr>`;
}

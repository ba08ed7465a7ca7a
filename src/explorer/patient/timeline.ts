import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { periodText, timeText } from '../../pages/time-text.ts';
import type { PatientEvent } from './events.ts';
import { placeText, scaleOf, tickText, timeTicks } from './scale.ts';
import type { Scale } from './scale.ts';
import type { TimeSpan } from './time-span.ts';

/** The events of one type. */
export interface Lane {
  readonly title: string;
  readonly events: readonly PatientEvent[];
}

/** What is drawn: the lanes within an interval, in milliseconds since 1970 UTC. */
export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly from: number;
  readonly to: number;
  /** Marked by a line. */
  readonly now: number;
  readonly language: Language;
  /** The link to a record. */
  readonly record: (target: string) => string;
}

const width = 960;
const rowHeight = 14;
const laneHeader = 24;
const axisHeight = 26;
/** The most rows of a lane; further bars overlap. */
const mostRows = 4;

/**
 * A timeline as SVG: a lane for each type, a bar for a period and a dot for a moment; what lies close together is one
 * dot. It is hidden from screen readers, since the lists of the page have the same events.
 */
export function timelineSvg({ lanes, from, to, now, language, record }: Timeline): Html {
  const scale = scaleOf(from, to, 4, width - 4);
  let top = axisHeight;
  const drawn = lanes.map(lane => {
    const marks = marksOf(lane.events, scale);
    const rows = Math.max(1, ...marks.map(({ row }) => row + 1));
    const part = laneSvg(lane.title, marks, top, { language, record });
    top += laneHeader + rows * rowHeight + 8;
    return part;
  });
  const today = scale.at(now);
  return html`<svg class="timeline" viewBox="0 0 ${width} ${top}" aria-hidden="true" focusable="false">
    ${timeTicks(from, to, 12).map(tick => {
      const x = placeText(scale.at(tick.time));
      return html`<line class="grid" x1="${x}" x2="${x}" y1="${axisHeight - 6}" y2="${top}" />
        <text class="axis" x="${x}" y="14">${tickText(tick, language)}</text>`;
    })}
    ${
      now > from &&
      now < to &&
      html`<line class="now" x1="${placeText(today)}" x2="${placeText(today)}" y1="20" y2="${top}" />`
    }
    ${drawn}
  </svg>`;
}

/** One or more events at a place. */
interface Mark {
  readonly left: number;
  readonly right: number;
  readonly row: number;
  readonly isOpen: boolean;
  readonly events: readonly (PatientEvent & { readonly when: TimeSpan })[];
}

/** Bars are put into the first free row; dots that would touch become one. */
function marksOf(events: readonly PatientEvent[], scale: Scale): readonly Mark[] {
  const marks: Mark[] = [];
  const ends: number[] = [];
  const dated = events.flatMap(({ when, ...event }) => (when === undefined ? [] : [{ ...event, when }]));
  for (const event of dated.toSorted((a, b) => a.when.start - b.when.start)) {
    const end = event.when.end ?? scale.high;
    if (end < scale.low || event.when.start > scale.high) continue;
    const left = scale.at(Math.max(event.when.start, scale.low));
    const right = Math.max(left, scale.at(Math.min(end, scale.high)));
    const isDot = right - left < dotWidth;
    const last = marks.at(-1);
    if (isDot && last !== undefined && last.right - last.left < dotWidth && left - last.left < dotWidth) {
      marks[marks.length - 1] = { ...last, events: [...last.events, event] };
      continue;
    }
    const free = ends.findIndex(one => one <= left);
    const row = free === -1 ? Math.min(ends.length, mostRows - 1) : free;
    ends[row] = Math.max(right, left + dotWidth) + 3;
    marks.push({ left, right, row, isOpen: event.when.end === undefined, events: [event] });
  }
  return marks;
}

const dotWidth = 9;

function laneSvg(
  title: string,
  marks: readonly Mark[],
  top: number,
  { language, record }: Pick<Timeline, 'language' | 'record'>,
): Html {
  const y = (row: number): number => top + laneHeader + row * rowHeight;
  return html`<line class="lane" x1="0" x2="${width}" y1="${top}" y2="${top}" />
    <text class="label" x="4" y="${top + 16}">${title}</text>
    ${marks.map(mark => {
      const [event] = mark.events;
      if (event === undefined) return undefined;
      return html`<a href="${record(event.target)}" tabindex="-1"
        ><title>${titleOf(mark, language)}</title>${shapeOf(mark, y(mark.row))}</a
      >`;
    })}`;
}

function shapeOf({ left, right, isOpen, events }: Mark, top: number): Html {
  if (right - left < dotWidth) {
    const kind = events.length > 1 ? 'mark many' : 'mark';
    return html`<circle class="${kind}" cx="${placeText(left + dotWidth / 2)}" cy="${top + 5}" r="4.5" />`;
  }
  const kind = isOpen ? 'mark open' : 'mark';
  const size = placeText(right - left);
  return html`<rect class="${kind}" x="${placeText(left)}" y="${top}" width="${size}" height="10" rx="4" />`;
}

/** At most five of the events, each with its time. */
function titleOf({ events }: Mark, language: Language): string {
  const lines = events.slice(0, 5).map(({ title, marks, when }) => {
    const time =
      when.endText === undefined ? timeText(when.text, language) : periodText(when.text, when.endText, language);
    return [title.slice(0, 80), ...marks, time].join(', ');
  });
  return [...lines, ...(events.length > 5 ? [`+ ${events.length - 5}`] : [])].join('\n');
}

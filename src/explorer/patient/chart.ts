import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { timeText } from '../../pages/time-text.ts';
import { numberText, numberTicks, placeText, scaleOf, tickText, timeTicks } from './scale.ts';
import type { Scale } from './scale.ts';
import type { Point, Series } from './series.ts';
import type { PatientTexts } from './texts.ts';

/** What a chart needs. */
export interface ChartView {
  readonly language: Language;
  readonly texts: PatientTexts;
}

const width = 360;
const height = 170;
const plot = { left: 40, right: width - 10, top: 12, bottom: height - 24 };

/** The most points of a chart: the newest. */
const mostPoints = 40;

/**
 * A line chart as SVG: values over time with round numbers at the axes, the reference range as a band, and values
 * outside of it marked by their form and colour. Its description has the first, last, lowest and highest value.
 */
export function chartSvg(series: Series, { language, texts }: ChartView): Html {
  const { range, title } = series;
  const points = series.points.slice(-mostPoints);
  const values = [...points.map(({ value }) => value), ...[range?.low, range?.high].filter(one => one !== undefined)];
  const ticks = numberTicks(Math.min(...values), Math.max(...values), 4);
  const vertical = scaleOf(ticks[0] ?? 0, ticks.at(-1) ?? 1, plot.bottom, plot.top);
  const times = points.map(({ time }) => time);
  const horizontal = scaleOf(Math.min(...times), Math.max(...times), plot.left + 6, plot.right - 6);
  const line = points.map(({ time, value }) => `${placeText(horizontal.at(time))},${placeText(vertical.at(value))}`);
  const about = texts.chart(title, points.length, extremes(points, language));
  return html`<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${about}">
    ${band(range, vertical)}
    ${ticks.map(value => {
      const y = placeText(vertical.at(value));
      return html`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}" />
        <text class="axis end" x="${plot.left - 5}" y="${placeText(vertical.at(value) + 4)}"
          >${numberText(value, language)}</text
        >`;
    })}
    ${timeLabels(horizontal, language)}
    <polyline class="line" points="${line.join(' ')}" />
    ${points.map(point => dot(point, series, [horizontal.at(point.time), vertical.at(point.value)], language))}
  </svg>`;
}

function timeLabels(horizontal: Scale, language: Language): Markup {
  const { low, high } = horizontal;
  return timeTicks(low, high, 4).map(
    tick =>
      html`<text class="axis" x="${placeText(horizontal.at(tick.time))}" y="${height - 7}"
        >${tickText(tick, language)}</text
      >`,
  );
}

/** A band between the ends; without one of them, to the end of the chart. */
function band(range: Series['range'], vertical: Scale): Markup {
  if (range === undefined) return undefined;
  const [high, low] = [range.high ?? vertical.high, range.low ?? vertical.low].map(vertical.at);
  if (high === undefined || low === undefined) return undefined;
  const size = placeText(Math.max(0, low - high));
  return html`<rect
    class="band"
    x="${plot.left}"
    y="${placeText(high)}"
    width="${plot.right - plot.left}"
    height="${size}"
  />`;
}

/** A circle, or outside of the reference range a diamond. */
function dot(
  { value, text, when }: Point,
  { range }: Series,
  [x, y]: readonly [number, number],
  language: Language,
): Html {
  const title = html`<title>${text}, ${timeText(when, language)}</title>`;
  const isOut = value < (range?.low ?? -Infinity) || value > (range?.high ?? Infinity);
  if (!isOut) return html`<circle class="dot" cx="${placeText(x)}" cy="${placeText(y)}" r="3">${title}</circle>`;
  const path = `M${placeText(x)} ${placeText(y - 5)}l5 5-5 5-5-5z`;
  return html`<path class="dot out" d="${path}">${title}</path>`;
}

function extremes(points: readonly Point[], language: Language): Parameters<PatientTexts['chart']>[2] {
  const sorted = points.toSorted((a, b) => a.value - b.value);
  const [first, last] = [points[0], points.at(-1)].map(point => timeText(point?.when ?? '', language));
  return {
    first: first ?? '',
    last: last ?? '',
    latest: points.at(-1)?.text ?? '',
    lowest: sorted[0]?.text ?? '',
    highest: sorted.at(-1)?.text ?? '',
  };
}

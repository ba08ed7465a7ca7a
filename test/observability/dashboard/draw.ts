import type { Panel } from './dashboard.ts';
import { evaluate } from './promql.ts';
import type { Labels, Scrape } from './promql.ts';

const cell = { width: 380, height: 190, gap: 12 };
const plot = { left: 52, right: 12, top: 30, bottom: 40 };
const colours = ['#1f60c4', '#56a64b', '#e0752d', '#8f3bb8', '#c4162a', '#0a7c86', '#b07d00', '#5c5c66', '#d44a8c'];
/** Most lines of a panel, those with the highest values. */
const mostLines = 7;

interface Line {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

/**
 * The panels as an SVG image in the grid of the dashboard; the value at each scrape is evaluated over the `window`
 * scrapes before it.
 */
export function drawDashboard(
  title: string,
  panels: readonly Panel[],
  scrapes: readonly Scrape[],
  window: number,
): string {
  const columns = 3;
  const rows = Math.ceil(panels.length / columns);
  const width = columns * (cell.width + cell.gap) + cell.gap;
  const height = rows * (cell.height + cell.gap) + cell.gap + 34;
  const drawn = panels.map((panel, at) => {
    const x = cell.gap + (at % columns) * (cell.width + cell.gap);
    const y = 34 + cell.gap + Math.floor(at / columns) * (cell.height + cell.gap);
    return `<g transform="translate(${x} ${y})">${drawPanel(panel, linesOf(panel, scrapes, window), scrapes)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10">`,
    `<rect width="${width}" height="${height}" fill="#f4f5f5"/>`,
    `<text x="${cell.gap}" y="26" font-size="16" font-weight="bold" fill="#24292e">${escaped(title)}</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function linesOf({ targets }: Panel, scrapes: readonly Scrape[], window: number): readonly Line[] {
  const lines = new Map<string, { at: number; value: number }[]>();
  for (let end = window; end < scrapes.length; end++) {
    const part = scrapes.slice(end - window, end + 1);
    const at = part.at(-1)?.at ?? 0;
    for (const { query, legend } of targets)
      for (const { labels, value } of evaluate(query, part)) {
        if (!Number.isFinite(value)) continue;
        const name = nameOf(legend, labels);
        const points = lines.get(name) ?? [];
        lines.set(name, [...points, { at, value }]);
      }
  }
  const peak = ({ points }: Line): number => Math.max(...points.map(({ value }) => value));
  return [...lines]
    .map(([name, points]) => ({ name, points }))
    .sort((a, b) => peak(b) - peak(a))
    .slice(0, mostLines);
}

/** `{{interaction}}` of Grafana: the value of the label. */
const nameOf = (legend: string, labels: Labels): string =>
  legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '');

function drawPanel({ title, unit }: Panel, lines: readonly Line[], scrapes: readonly Scrape[]): string {
  const [from, to] = [scrapes[0]?.at ?? 0, scrapes.at(-1)?.at ?? 1];
  const most =
    unit === 'percentunit' || lines.length === 0
      ? 1
      : Math.max(1e-9, ...lines.flatMap(({ points }) => points.map(p => p.value)));
  const width = cell.width - plot.left - plot.right;
  const height = cell.height - plot.top - plot.bottom;
  const x = (at: number): string => (plot.left + ((at - from) / (to - from)) * width).toFixed(0);
  const y = (value: number): string => (plot.top + height - (value / most) * height).toFixed(1);
  const grid = [0, 0.5, 1].map(
    share =>
      `<path d="M${plot.left} ${y(share * most)}h${width}" stroke="#e1e3e6"/>` +
      `<text x="${plot.left - 5}" y="${Number(y(share * most)) + 3}" text-anchor="end" fill="#6e7580">` +
      `${print(share * most, unit)}</text>`,
  );
  const drawn = lines.map(({ points }, at) => {
    const path = points.map(({ at: time, value }, n) => `${n === 0 ? 'M' : 'L'}${x(time)} ${y(value)}`).join('');
    return `<path d="${path}" fill="none" stroke="${colours[at]}" stroke-width="1.4"/>`;
  });
  let place = plot.left;
  const legend = lines.flatMap(({ name }, at) => {
    const long = 16 + name.length * 5.2;
    if (place + long > cell.width) return [];
    const found = `<rect x="${place}" y="${cell.height - 17}" width="8" height="3" fill="${colours[at]}"/><text x="${
      place + 11
    }" y="${cell.height - 12}" fill="#464c54">${escaped(name)}</text>`;
    place = Math.round(place + long + 4);
    return [found];
  });
  return [
    `<rect width="${cell.width}" height="${cell.height}" rx="3" fill="#fff" stroke="#dfe1e4"/>`,
    `<text x="10" y="18" font-size="12" font-weight="bold" fill="#24292e">${escaped(title)}</text>`,
    ...grid,
    ...(lines.length === 0 ? [`<text x="${cell.width / 2}" y="${cell.height / 2}">none</text>`] : drawn),
    ...legend,
  ].join('');
}

/** A value of the axis with its unit, as Grafana names units. */
function print(value: number, unit: string): string {
  const short = (of: number): string => String(Number(of.toPrecision(3)));
  if (value === 0) return '0';
  if (unit === 'bytes') return `${short(value / 1_048_576)} MiB`;
  if (unit === 'percentunit') return `${short(value * 100)} %`;
  if (unit === 's') return value < 1 ? `${short(value * 1_000)} ms` : `${short(value)} s`;
  return unit === 'reqps' || unit === 'ops' ? `${short(value)} /s` : short(value);
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

import { describe, expect, it } from 'vitest';
import type { PatientEvent } from '../../../src/explorer/patient/events.ts';
import { timelineSvg } from '../../../src/explorer/patient/timeline.ts';
import { record } from '../support.ts';

const time = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const event = (id: string, start: string, end?: string | null): PatientEvent => ({
  target: `Encounter/${id}`,
  title: `<b>${id}</b>`,
  marks: [],
  status: undefined,
  when: {
    start: time(start),
    end: end === null ? undefined : time(end ?? start),
    text: start,
    endText: end ?? undefined,
  },
});
const draw = (...events: readonly PatientEvent[]): string =>
  timelineSvg({
    lanes: [{ title: 'Visits', events }],
    from: time('2024-01-01'),
    to: time('2026-01-01'),
    now: time('2025-12-01'),
    language: 'en',
    record,
  }).text;

describe('a timeline', () => {
  it('has a dot for a moment, a bar for a period, and an open bar for one without an end', () => {
    const svg = draw(event('a', '2024-02-01'), event('b', '2024-05-01', '2024-09-01'), event('c', '2025-03-01', null));
    expect(svg.match(/<circle class="mark"/g)).toHaveLength(1);
    expect(svg.match(/<rect class="mark"/g)).toHaveLength(1);
    expect(svg.match(/<rect class="mark open"/g)).toHaveLength(1);
    expect(svg).toContain('<a href="/r4/demo/Encounter/b" tabindex="-1"');
    expect(svg).toContain('&lt;b&gt;b&lt;/b&gt;, May 1, 2024 – September 1, 2024');
  });

  it('joins moments that would cover each other, and puts periods that do into rows', () => {
    const svg = draw(
      event('a', '2024-02-01'),
      event('b', '2024-02-02'),
      event('c', '2024-05-01', '2024-09-01'),
      event('d', '2024-06-01', '2024-10-01'),
    );
    expect(svg.match(/<circle/g)).toHaveLength(1);
    expect(svg).toContain('class="mark many"');
    const tops = [...svg.matchAll(/<rect [^>]*y="(\d+)"/g)].map(([, y]) => Number(y));
    expect(new Set(tops).size).toBe(2);
  });

  it('leaves out what is before and after it, and cuts what begins before it', () => {
    const svg = draw(event('a', '2020-02-01'), event('b', '2027-02-02'), event('c', '2020-01-01', '2024-07-01'));
    expect(svg.match(/class="mark"/g)).toHaveLength(1);
    expect(svg).toMatch(/<rect class="mark" x="4"/);
  });

  it('has marks for today and for round times, and no style attribute', () => {
    const svg = draw(event('a', '2024-02-01'));
    expect(svg).toContain('class="now"');
    expect(svg).toContain('>2025</text>');
    expect(svg).not.toMatch(/style=|NaN|undefined/);
  });
});

/**
 * The moment (milliseconds since 1970 UTC) at which clocks in `zone` (IANA name) show `local`, itself written as if it
 * were UTC. A time that the zone skips is moved by the width of the gap; a time that occurs twice means the first.
 * Throws RangeError for an unknown zone.
 */
export function zonedTime(local: number, zone: string): number {
  if (zone === 'UTC') return local;
  const offsets = offsetsOf(zone);
  const before = offsets.at(local - DAY);
  const after = offsets.at(local + DAY);
  if (before === after) return local - before;
  // If clocks go forward, neither may be a moment that shows `local`: then the offset before the change applies.
  if (offsets.at(local - before) === before) return local - before;
  return offsets.at(local - after) === after ? local - after : local - before;
}

/** A moment as clocks in a zone show it: `2026-01-02T03:04:05.006-05:00`. Throws RangeError for an unknown zone. */
export function printZoned(moment: number, zone: string): string {
  const minutes = zone === 'UTC' ? 0 : Math.round(offsetsOf(zone).at(moment) / 60_000);
  const local = new Date(moment + minutes * 60_000).toISOString().slice(0, -1);
  const part = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  return `${local}${minutes < 0 ? '-' : '+'}${part(minutes / 60)}:${part(minutes % 60)}`;
}

/** True for a zone that this runtime knows. */
export function isZone(zone: string): boolean {
  try {
    offsetsOf(zone);
    return true;
  } catch {
    return false;
  }
}

const DAY = 86_400_000;
/** About six days: no zone changes its clocks twice in that time. */
const SPAN = 2 ** 29;
const YEAR_1 = -62_135_596_800_000;
const MOST_SPANS = 20_000;

/** The offset at a span's start and, if clocks change within it, the time and the new offset. */
interface Span {
  readonly offset: number;
  readonly change: number;
  readonly next: number;
}

class Offsets {
  private readonly format: Intl.DateTimeFormat;
  private readonly spans = new Map<number, Span>();

  constructor(zone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Milliseconds by which clocks are ahead of UTC at a moment. */
  at(moment: number): number {
    const index = Math.floor(moment / SPAN);
    let span = this.spans.get(index);
    if (span === undefined) {
      span = this.measure(index);
      if (this.spans.size >= MOST_SPANS) this.spans.clear();
      this.spans.set(index, span);
    }
    return moment < span.change ? span.offset : span.next;
  }

  private measure(index: number): Span {
    let low = index * SPAN;
    let high = low + SPAN;
    const offset = this.ask(low);
    const next = this.ask(high);
    if (offset === next) return { offset, change: Infinity, next };
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.ask(middle) === offset) low = middle;
      else high = middle;
    }
    return { offset, change: high, next };
  }

  private ask(moment: number): number {
    const second = Math.floor(Math.max(moment, YEAR_1 + DAY) / 1000) * 1000;
    const field: Record<string, number> = {};
    for (const part of this.format.formatToParts(second)) field[part.type] = Number(part.value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = field;
    const shown = new Date(0);
    shown.setUTCFullYear(year, month - 1, day);
    shown.setUTCHours(hour, minute, seconds);
    return shown.getTime() - second;
  }
}

const known = new Map<string, Offsets>();

function offsetsOf(zone: string): Offsets {
  let offsets = known.get(zone);
  if (offsets === undefined) {
    offsets = new Offsets(zone);
    known.set(zone, offsets);
  }
  return offsets;
}

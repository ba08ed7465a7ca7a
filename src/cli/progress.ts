import { count, printable } from './print.ts';

/** The output of progress: stderr, or its replacement in tests. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The progress of work, on a terminal as a moving bar, elsewhere as a plain line every five seconds. */
export interface Progress {
  /** `note` follows the figures, such as the name of a file; `share` (0 to 1) replaces `of` as the progress. */
  update(done: number, of: number | undefined, note?: string, share?: number): void;
  /** The last state, and a line end. */
  end(): void;
}

const BAR = 24;
const MOVE = 100;
const LINE = 5000;
/** Minimum length of a cut note. */
const SHORTEST = 8;

/** `unit` is what is counted (`records`); `now` is in milliseconds. */
export function createProgress(unit: string, terminal: Terminal, now: () => number): Progress {
  const started = now();
  let shownAt = -Infinity;
  let last: State | undefined;
  const show = (): void => {
    if (last === undefined) return;
    shownAt = now();
    const width = terminal.isTTY === true ? (terminal.columns || 80) - 1 : undefined;
    const text = line(last, unit, (shownAt - started) / 1000, width);
    terminal.write(width === undefined ? `${text}\n` : `\r\u001B[K${text}`);
  };
  return {
    update(done, of, note = '', share = of === undefined || of === 0 ? undefined : done / of) {
      last = { done, of, note, share };
      const interval = terminal.isTTY === true ? MOVE : LINE;
      if (shownAt === -Infinity && terminal.isTTY !== true) shownAt = started;
      if (now() - shownAt >= interval) show();
    },
    end() {
      show();
      if (terminal.isTTY === true && last !== undefined) terminal.write('\n');
      last = undefined;
    },
  };
}

interface State {
  readonly done: number;
  readonly of: number | undefined;
  readonly note: string;
  readonly share: number | undefined;
}

/** `width` is that of the terminal; undefined elsewhere, without a bar. */
function line({ done, of, note, share: given }: State, unit: string, seconds: number, width?: number): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const share = given === undefined ? undefined : Math.min(1, given);
  const left = share === undefined || share === 0 || share === 1 ? 0 : (seconds * (1 - share)) / share;
  const figures = [
    width !== undefined && share !== undefined ? `[${'#'.repeat(Math.round(share * BAR)).padEnd(BAR, '.')}]` : '',
    share === undefined ? '' : `${Math.floor(share * 100)} %`,
    of === undefined ? `${count(done)} ${unit}` : `${count(done)} of ${count(of)} ${unit}`,
    `${count(Math.round(rate))}/s`,
    left > 0 ? `${printSeconds(left)} left` : '',
  ]
    .filter(part => part !== '')
    .join('  ');
  if (width === undefined) return note === '' ? figures : `${figures}  ${note}`;
  const cut = cutMiddle(printable(note), width - figures.length - 2);
  return cut === '' ? figures.slice(0, width) : `${figures}  ${cut}`;
}

/**
 * Shortens a path in the middle, keeping more of its end: `/data/exp…2026/Observation.ndjson`. Empty if there is no
 * room.
 */
function cutMiddle(text: string, room: number): string {
  const characters = Array.from(text);
  if (characters.length <= room) return text;
  if (room < SHORTEST) return '';
  const head = Math.floor((room - 1) / 3);
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (room - 1 - head)).join('')}`;
}

/** 75 → `1 min 15 s`. */
export function printSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

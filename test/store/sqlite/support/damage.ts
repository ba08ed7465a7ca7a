import type { Random } from '../../../../src/demo/random.ts';
import { type LivePage, livePages } from './live-bytes.ts';

/** A damage of a file, and what it is in words. */
export interface Damage {
  readonly what: string;
  readonly bytes: Buffer;
}

/** What a disk may do to a file. */
export const kinds = [
  'a byte',
  'some bytes',
  'a page of other bytes',
  'a page of zeros',
  'a page of another page',
] as const;

/** Damages live content of a file, without a WAL, at a random place. */
export function damaged(path: string, original: Buffer, kind: (typeof kinds)[number], random: Random): Damage {
  const pages = livePages(path).filter(page => page.live.some(({ length }) => length > 0));
  // Values of `meta` are counted on, or made again by the next start: any other text would do.
  const page = random.pick(kind.startsWith('a page') ? pages : pages.filter(({ of }) => of !== 'meta'));
  const bytes = Buffer.from(original);
  const end = page.at + page.size;
  const what = `${kind} in page ${page.number} of ${page.of}`;
  switch (kind) {
    case 'a byte':
    case 'some bytes': {
      const { at, length } = random.pick(page.live.filter(one => one.length > 0));
      const first = at + random.integer(0, length - 1);
      const last = kind === 'a byte' ? first : Math.min(end - 1, first + random.integer(0, 15));
      for (let place = first; place <= last; place += 1)
        bytes[place] = ((bytes[place] ?? 0) + random.integer(1, 255)) % 256;
      return { what: `${what}, from ${first - page.at} on`, bytes };
    }
    case 'a page of other bytes':
      for (let place = page.at; place < end; place += 1) bytes[place] = random.integer(0, 255);
      return { what, bytes };
    case 'a page of zeros':
      bytes.fill(0, page.at, end);
      return { what, bytes };
    case 'a page of another page': {
      const others = pages.filter(other => other.size === page.size && differs(original, page, other));
      const other = random.pick(others);
      original.copy(bytes, page.at, other.at, other.at + other.size);
      return { what: `${what}, number ${other.number} of ${other.of}`, bytes };
    }
    default:
      return kind satisfies never;
  }
}

/** Whether another page in its place would change what is live in a page. */
const differs = (file: Buffer, page: LivePage, other: LivePage): boolean =>
  page.live.some(
    ({ at, length }) =>
      !file.subarray(at, at + length).equals(file.subarray(at - page.at + other.at, at - page.at + other.at + length)),
  );

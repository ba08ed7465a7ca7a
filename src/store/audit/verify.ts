import { dayOf, digestOf, parseLine } from './line.ts';
import type { ChainPlace, Link } from './line.ts';

export interface AuditDamage {
  /** The chain, which is the file name if chains are files. */
  readonly chain: string;
  /** Its line, from 0; undefined for the whole chain. */
  readonly line: number | undefined;
  /**
   * `altered`: the content differs from what was written; `missing`: it does not exist; `torn`: its end was not written
   * whole, as after a kill, and was never acknowledged.
   */
  readonly is: 'altered' | 'missing' | 'torn';
}

/**
 * Reads all chains and reports what was altered or removed. In a chain each line has a digest of all before it; the end
 * of a chain, and a whole chain, is known if a later chain names it. Pruned days are not reported.
 */
export async function* verifyChains(place: ChainPlace): AsyncIterable<AuditDamage> {
  const chains = await place.chains();
  const links = await namedEnds(place, chains);
  let pruned = '';
  const ended = new Map<string, number>();
  for (const chain of chains) {
    const named = links.get(chain) ?? new Map<number, string>();
    let [n, hash] = [0, ''];
    for await (const { text, whole } of place.lines(chain)) {
      const line = whole ? parseLine(text) : undefined;
      const isRight =
        line?.n === n && line.hash === digestOf(hash, line.content) && (named.get(n) ?? line.hash) === line.hash;
      if (!isRight) yield { chain, line: n, is: whole ? 'altered' : 'torn' };
      // A gap is reported once: the lines after it are checked by their own numbers.
      n = (line?.n ?? n) + (whole ? 1 : 0);
      hash = line?.hash ?? '';
      if (line?.pruned !== undefined && line.pruned > pruned) ({ pruned } = line as { pruned: string });
    }
    ended.set(chain, n);
  }
  for (const [chain, named] of links) {
    const there = ended.get(chain);
    const last = Math.max(...named.keys());
    if (there === undefined && dayOf(chain) >= pruned) yield { chain, line: undefined, is: 'missing' };
    if (there !== undefined && last >= there) yield { chain, line: there, is: 'missing' };
  }
}

/** The ends of chains that the first lines of others name: digests by chain and line. */
async function namedEnds(
  place: ChainPlace,
  chains: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
  const found = new Map<string, Map<number, string>>();
  for (const chain of chains) {
    for await (const { text } of place.lines(chain)) {
      const before: readonly Link[] = parseLine(text)?.before ?? [];
      for (const { chain: other, n, hash } of before) {
        const named = found.get(other) ?? new Map<number, string>();
        found.set(other, named.set(n, hash));
      }
      break;
    }
  }
  return found;
}

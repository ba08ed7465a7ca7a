import type { ChainPlace } from '../../../src/store/audit/line.ts';

/** Chains in memory, on a disk that is as good as a test wants it. */
export interface Chains extends ChainPlace {
  readonly kept: Map<string, string[]>;
  /** How many lines are written before the disk is full. */
  room: number;
  /** How long a write takes, in milliseconds. */
  time: number;
}

export function chainsInMemory(): Chains {
  const kept = new Map<string, string[]>();
  const disk: Chains = {
    kept,
    room: Infinity,
    time: 0,
    chains: async () => [...kept.keys()].sort(), // prettier-ignore
    async begin(chain) {
      const lines: string[] = [];
      kept.set(chain, lines);
      return {
        async write(_, texts) {
          if (disk.time > 0) await new Promise(done => setTimeout(done, disk.time));
          lines.push(...texts.slice(0, disk.room));
          if (texts.length > disk.room) throw new Error('The disk is full');
        },
        close: async () => {},
      };
    },
    async *lines(chain) {
      for (const text of kept.get(chain) ?? []) yield { text, whole: true };
    },
    last: async chain => kept.get(chain)?.at(-1),
    remove: async chain => void kept.delete(chain),
  };
  return disk;
}

import { Cache } from '../limits/cache.ts';
import type { Answer } from './question.ts';

/** A cache of answers by question, with expiry. */
export interface Answers {
  get(key: string): Answer | undefined;
  set(key: string, answer: Answer): void;
}

const hour = 3_600_000;
/** Milliseconds; a server may learn a system. `unreachable` is not cached. */
const lifetimes: Readonly<Record<Exclude<Answer, 'unreachable'>, number>> = {
  in: 24 * hour,
  out: 24 * hour,
  unsure: hour,
};

/** Caches `most` answers at most. `now` returns milliseconds since 1970 UTC. */
export function createAnswers(now: () => number, most = 20_000): Answers {
  const kept = new Cache<Answer>(most);
  return {
    get: key => kept.get(key, now()),
    set: (key, answer) => {
      if (answer !== 'unreachable') kept.put(key, answer, now() + lifetimes[answer]);
    },
  };
}

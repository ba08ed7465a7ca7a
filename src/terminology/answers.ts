import type { Answer } from './question.ts';

/** Answers by question, with expiry. */
export interface Answers {
  get(key: string): Answer | undefined;
  set(key: string, answer: Answer): void;
}

const hour = 3_600_000;
/** Milliseconds; what a server does not know today it may learn. `unreachable` is not kept. */
const lifetimes: Readonly<Record<Exclude<Answer, 'unreachable'>, number>> = {
  in: 24 * hour,
  out: 24 * hour,
  unsure: hour,
};

/** Keeps `most` answers at most; those that were not asked for the longest go first. `now` gives milliseconds. */
export function createAnswers(now: () => number, most = 20_000): Answers {
  const kept = new Map<string, { readonly answer: Answer; readonly until: number }>();
  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      if (found.until <= now()) return undefined;
      kept.set(key, found); // a Map is in the order of insertion
      return found.answer;
    },
    set(key, answer) {
      if (answer === 'unreachable') return;
      kept.delete(key);
      kept.set(key, { answer, until: now() + lifetimes[answer] });
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    },
  };
}

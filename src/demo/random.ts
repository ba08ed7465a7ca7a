/** A deterministic random generator: the same seed gives the same numbers on every machine. */
export interface Random {
  /** From 0 up to but not including 1. */
  next(): number;
  /** A whole number from low to high, both included. */
  integer(low: number, high: number): number;
  /** Around the mean; two of three values are within one deviation, none beyond 3.5. */
  around(mean: number, deviation: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Different members of the list, in its order. */
  some<T>(list: readonly T[], count: number): T[];
}

/** The generator of a seed, such as a seed number and the number of a patient. (xmur3 and sfc32, public domain.) */
export function createRandom(...words: readonly (number | string)[]): Random {
  const next = generator(words.join(' '));
  const random: Random = {
    next,
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    // A sum of uniform numbers instead of a logarithm, whose last digit may differ between machines.
    around: (mean, deviation) => mean + (next() + next() + next() + next() - 2) * 1.75 * deviation,
    chance: probability => next() < probability,
    pick: list => {
      const picked = list[Math.floor(next() * list.length)];
      if (picked === undefined) throw new RangeError('Nothing to pick from');
      return picked;
    },
    some: (list, count) => {
      let wanted = Math.min(count, list.length);
      return list.filter((_, index) => next() * (list.length - index) < wanted && wanted-- > 0);
    },
  };
  return random;
}

function generator(text: string): () => number {
  let hash = 1_779_033_703 ^ text.length;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3_432_918_353);
    hash = (hash << 13) | (hash >>> 19);
  }
  const word = (): number => {
    hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
    hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
    return (hash ^= hash >>> 16) | 0;
  };
  let [a, b, c, counter] = [word(), word(), word(), 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

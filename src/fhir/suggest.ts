/**
 * The known name that a misspelt one most likely means: the nearest by edit distance (a swap of neighbours counts one),
 * if at most a third of its letters differ; else undefined. `nmae` → `name`.
 */
export function suggest(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const name of known) {
    const allowed = Math.max(1, Math.floor(Math.max(name.length, given.length) / 3));
    if (Math.abs(name.length - given.length) > allowed) continue;
    const steps = distance(given.toLowerCase(), name.toLowerCase());
    if (steps <= allowed && steps < bestDistance) {
      best = name;
      bestDistance = steps;
    }
  }
  return best;
}

/** Whether a name is most likely a misspelt one of these: one that is suggested, with at most two wrong letters. */
export function isMisspelt(given: string, known: Iterable<string>): boolean {
  const name = suggest(given, known);
  return name !== undefined && distance(given.toLowerCase(), name.toLowerCase()) <= 2;
}

/** " Did you mean `name`?" or nothing, as the end of a sentence. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const name = suggest(given, known);
  return name === undefined ? '' : ` Did you mean \`${name}\`?`;
}

/** Optimal string alignment distance of at most 64 letters. */
function distance(a: string, b: string): number {
  const left = a.slice(0, 64);
  const right = b.slice(0, 64);
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const line = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let steps = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) steps = Math.min(steps, (beforeLast[column - 2] ?? 0) + 1);
      line.push(steps);
    }
    beforeLast = last;
    last = line;
  }
  return last[right.length] ?? 0;
}

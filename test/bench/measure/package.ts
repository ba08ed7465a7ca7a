import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadModel } from '../../../src/engine/definitions/load-model.ts';
import { largePackage } from '../../support/large-package.ts';
import { median } from '../statistics.ts';

/**
 * Milliseconds that a package of the size of US Core (63 profiles, 110 search parameters) adds to a start that has seen
 * it before.
 */
export async function measurePackage(
  { runs }: { readonly runs: number },
  say: (text: string) => void,
): Promise<number> {
  say('Loading a package of the size of US Core …');
  const folder = mkdtempSync(join(tmpdir(), 'bench-package-'));
  try {
    const file = join(folder, 'large.tgz');
    writeFileSync(file, largePackage());
    const load = async (definitions: readonly string[]): Promise<number> => {
      const begin = performance.now();
      const { problems } = await loadModel({ definitions, cache: [join(folder, 'cache')] });
      if (problems.length > 0) throw new Error(problems.map(({ text }) => text).join('\n'));
      return performance.now() - begin;
    };
    const [without, warm]: [number[], number[]] = [[], []];
    for (let run = 0; run <= runs; run++) {
      const [some, none] = [await load([file]), await load([])];
      if (run === 0) continue; // the first one unpacks
      warm.push(some);
      without.push(none);
    }
    return Math.max(0, median(warm) - median(without));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Dataset, sizeOf, temporary } from '../data/dataset.ts';
import { writeWordInterface } from '../data/join-interface.ts';
import type { JoinCase } from '../join-cases.ts';
import { compareWithPlain, type JoinRounds, type JoinRow } from './joins.ts';
import { startSubject } from './subjects.ts';

/**
 * Compares full-text searches with searches by codes and references, in turn, on a copy of the store in which the
 * service has built the index of words.
 */
export async function measureWords(
  cases: readonly JoinCase[],
  data: Dataset,
  rounds: JoinRounds,
  say: (text: string) => void,
): Promise<readonly JoinRow[]> {
  const scratch = temporary('words');
  const file = join(scratch.folder, 'records.sqlite');
  copyFileSync(data.file, file);
  const before = sizeOf(file);
  say('Building the index of words …');
  const begun = performance.now();
  const service = await startSubject('service', file, {
    settings: ['--capability', writeWordInterface(scratch.folder)],
  });
  try {
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${service.port}/r4/demo/Observation?_content=a&_count=1`)).status === 200;
    while (!(await isReady())) await setTimeout(500);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    say(`It took ${seconds} s, and ${Math.round((sizeOf(file) - before) / 1e6)} MB with the log of the store`);
    return await compareWithPlain(cases, service, data, rounds, say);
  } finally {
    await service.child.stop();
    scratch.remove();
  }
}

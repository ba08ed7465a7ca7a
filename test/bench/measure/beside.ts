import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RequestCase } from '../cases.ts';
import type { Dataset } from '../data/dataset.ts';
import { temporary } from '../data/dataset.ts';
import { median, medianRatio } from '../statistics.ts';
import { measure, record, startClient, startSubject } from './subjects.ts';
import type { Measured, Subject } from './subjects.ts';
import { untilSettled, warmUp } from './warm-up.ts';
import type { Rounds } from './requests.ts';

/** One case: processor time in microseconds per request, medians of the rounds. */
export interface BesideRow {
  readonly case: string;
  readonly floor: number;
  readonly other: number;
  readonly service: number;
  /** What the service costs of what it cost at the other commit. */
  readonly times: number;
  /** What the floor costs of the other commit, and of the service. */
  readonly otherShare: number;
  readonly share: number;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const connections = 16;
const sides = ['floor', 'other', 'service'] as const;
type Side = (typeof sides)[number];

/**
 * Compares the service with that of another commit, and both with the floor, in short turns on one processor: what
 * disturbs the machine hits all three, so that differences of some per cent show. Throws if git does not know the
 * commit.
 */
export async function measureBeside(
  commit: string,
  cases: readonly RequestCase[],
  data: Dataset,
  { rounds, duration, warming = untilSettled }: Pick<Rounds, 'rounds' | 'duration' | 'warming'>,
  say: (text: string) => void,
): Promise<readonly BesideRow[]> {
  const scratch = temporary('beside');
  const started: { stop(): Promise<void> }[] = [];
  try {
    const checkout = checkOut(commit, join(scratch.folder, 'checkout'));
    const recording = join(scratch.folder, 'recording.json');
    const places = await record(
      data.file,
      cases,
      found => cases.flatMap(one => one.requests(data.samples, found).map(({ path }) => path)),
      recording,
    );
    // A server locks its store.
    const [one, another] = ['other', 'service'].map(name => join(scratch.folder, `${name}.sqlite`));
    for (const copy of [one, another]) copyFileSync(data.file, copy ?? '');
    const subjects: Record<Side, Subject> = {
      floor: await startSubject('floor', data.file, { recording }),
      other: await startSubject('service', one ?? '', { bench: pathToFileURL(join(checkout, 'test/bench/')) }),
      service: await startSubject('service', another ?? ''),
    };
    const client = await startClient();
    started.push(client, ...Object.values(subjects).map(({ child }) => child));
    const kept = cases.map(() => ({ floor: [] as number[], other: [] as number[], service: [] as number[] }));
    const turn = async (round: number, keep: (at: number, side: Side, run: Measured) => void): Promise<void> => {
      for (const [at, one] of cases.entries())
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          const requests = one.requests(data.samples, places);
          const load = { requests, connections, duration, status: one.status ?? 200 };
          keep(at, side, await measure(client, subjects[side], load));
        }
    };
    say('Warming up …');
    await warmUp(async pass => {
      let answered = 0;
      await turn(pass, (_, side, { requests }) => (answered += side === 'service' ? requests : 0));
      return answered;
    }, warming);
    for (let round = 0; round < rounds; round++) {
      say(`Round ${round + 1} of ${rounds} …`);
      await turn(round, (at, side, { cpu }) => kept[at]?.[side].push(cpu));
    }
    return cases.flatMap(({ name }, at): BesideRow[] => {
      const of = kept[at];
      if (of === undefined) return [];
      return [
        {
          case: name,
          floor: median(of.floor),
          other: median(of.other),
          service: median(of.service),
          times: medianRatio(of.service, of.other),
          otherShare: medianRatio(of.floor, of.other),
          share: medianRatio(of.floor, of.service),
        },
      ];
    });
  } finally {
    await Promise.all(started.map(one => one.stop()));
    scratch.remove();
  }
}

/** Writes the files of a commit into a folder, with the packages of this checkout; returns the folder. */
function checkOut(commit: string, folder: string): string {
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  execFileSync('git', ['archive', '--output', archive, commit], { cwd: root });
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

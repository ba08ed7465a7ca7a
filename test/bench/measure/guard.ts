import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset } from '../data/dataset.ts';
import { guardTokens } from '../guard-tokens.ts';
import type { WireRequest } from '../protocol.ts';
import { median, medianRatio } from '../statistics.ts';
import { startChild } from '../child.ts';
import { measure, processors, startClient, startSubject } from './subjects.ts';
import type { Measured, Subject } from './subjects.ts';

/** What the guard costs in one case. */
export interface GuardRow {
  readonly case: string;
  /** Microseconds of the server's processor time per request, without the guard and with it. */
  readonly open: number;
  readonly guarded: number;
  /** How many times dearer: the median of the rounds. */
  readonly times: number;
  /** The most that is promised. */
  readonly promised: number;
}

interface GuardCase {
  readonly name: string;
  readonly promised: number;
  readonly token: string;
  readonly paths: readonly string[];
}

const connections = 16;
const base = '/r4/demo';
/** What the guard may cost, with a token that is remembered. */
const promised = { read: 1.1, search: 1.15 } as const;

/** Asks the service with its guard and without it the same, in turn, and compares processor time per request. */
export async function measureGuard(
  { file, samples }: Dataset,
  { rounds, duration }: { readonly rounds: number; readonly duration: number },
  say: (text: string) => void,
): Promise<readonly GuardRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crs-guard-'));
  const copy = join(folder, 'records.sqlite');
  copyFileSync(file, copy); // one server at a time may have a file open
  const patient = samples.withConditions[0] ?? '';
  const client = await startClient();
  const open = await startSubject('service', file);
  const child = await startChild('./subjects/guarded.ts', { arguments: [copy, patient], processor: processors.server });
  const guarded: Subject = { name: 'service', port: Number(child.greeting), child };
  try {
    const cases = await casesOf(open, samples, patient);
    const kept = cases.map(() => [[], []] as [Measured[], Measured[]]);
    for (let round = -2; round < rounds; round++) {
      say(round < 0 ? 'Warming up …' : `Round ${round + 1} of ${rounds} …`);
      for (const [at, { paths, token }] of cases.entries())
        for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const headers = { Authorization: `Bearer ${token}` }; // to both, since clients send it
          const requests = paths.map((path): WireRequest => ({ path, headers }));
          const run = await measure(client, side === 0 ? open : guarded, {
            requests,
            connections,
            duration,
            status: 200,
          });
          if (round >= 0) kept[at]?.[side]?.push(run);
        }
    }
    return cases.map((one, at): GuardRow => {
      const [without = [], withGuard = []] = kept[at] ?? [];
      const cost = (runs: readonly Measured[]): number => median(runs.map(({ cpu }) => cpu));
      const times = medianRatio(
        withGuard.map(({ cpu }) => cpu),
        without.map(({ cpu }) => cpu),
      );
      return { case: one.name, open: cost(without), guarded: cost(withGuard), times, promised: one.promised };
    });
  } finally {
    await Promise.all([client, open.child, child].map(one => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function casesOf(
  open: Subject,
  { records, patients }: Dataset['samples'],
  patient: string,
): Promise<readonly GuardCase[]> {
  const { system, patient: own } = guardTokens;
  const forSystems = ['Patient', 'Observation', 'Appointment', 'Condition', 'Encounter'];
  const readable = records.filter(([type]) => forSystems.includes(type)).map(([type, id]) => `${base}/${type}/${id}`);
  const ofPatient = ['Condition', 'Appointment', 'Encounter', 'MedicationRequest'].map(
    type => `${base}/${type}?patient=${patient}&_count=20`,
  );
  const bundles = await Promise.all(
    ofPatient.map(async path => (await fetch(`http://127.0.0.1:${open.port}${path}`)).json()),
  );
  const found = (bundles as { entry?: { resource: { resourceType: string; id: string } }[] }[]).flatMap(
    ({ entry = [] }) => entry.map(({ resource }) => `${base}/${resource.resourceType}/${resource.id}`),
  );
  return [
    { name: 'read, system', promised: promised.read, token: system, paths: readable },
    { name: 'read, patient', promised: promised.read, token: own, paths: found },
    { name: 'search, system', promised: promised.search, token: system, paths: patients.map(id => `${base}/Observation?patient=${id}&_count=20`) }, // prettier-ignore
    { name: 'search, patient', promised: promised.search, token: own, paths: ofPatient },
  ];
}

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

/** What the guard, or the audit, costs in one case. */
export interface GuardRow {
  readonly case: string;
  /** Microseconds of the server's processor time per request, without it and with it. */
  readonly without: number;
  readonly with: number;
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
/** What the guard may cost, with a token that is remembered; and what the audit may, beside the guard. */
const promised = { guard: { read: 1.1, search: 1.15 }, audit: { read: 1.2, search: 1.2 } } as const;

/** Asks the service with its guard (or its audit) and without it the same, in turn, and compares processor time per request. */
export async function measureGuard(
  what: keyof typeof promised,
  { file, samples }: Dataset,
  { rounds, duration }: { readonly rounds: number; readonly duration: number },
  say: (text: string) => void,
): Promise<readonly GuardRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crs-guard-'));
  // One server at a time may have a file open.
  const [one, other] = ['one.sqlite', 'other.sqlite'].map(name => join(folder, name)) as [string, string];
  for (const copy of [one, other]) copyFileSync(file, copy);
  const patient = samples.withConditions[0] ?? '';
  const client = await startClient();
  const open = what === 'guard' ? await startSubject('service', one) : await startGuarded(one, patient);
  const guarded = await startGuarded(other, patient, ...(what === 'guard' ? [] : ['audited']));
  try {
    const cases = await casesOf(open, samples, patient, promised[what]);
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
      return { case: one.name, without: cost(without), with: cost(withGuard), times, promised: one.promised };
    });
  } finally {
    await Promise.all([client, open.child, guarded.child].map(one => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startGuarded(file: string, ...more: readonly string[]): Promise<Subject> {
  const child = await startChild('./subjects/guarded.ts', { arguments: [file, ...more], processor: processors.server });
  return { name: 'service', port: Number(child.greeting), child };
}

async function casesOf(
  open: Subject,
  { records, patients }: Dataset['samples'],
  patient: string,
  most: { readonly read: number; readonly search: number },
): Promise<readonly GuardCase[]> {
  const { system, patient: own } = guardTokens;
  const forSystems = ['Patient', 'Observation', 'Appointment', 'Condition', 'Encounter'];
  const readable = records.filter(([type]) => forSystems.includes(type)).map(([type, id]) => `${base}/${type}/${id}`);
  const ofPatient = ['Condition', 'Appointment', 'Encounter', 'MedicationRequest'].map(
    type => `${base}/${type}?patient=${patient}&_count=20`,
  );
  const bundles = await Promise.all(
    ofPatient.map(async path =>
      (await fetch(`http://127.0.0.1:${open.port}${path}`, { headers: { Authorization: `Bearer ${system}` } })).json(),
    ),
  );
  const found = (bundles as { entry?: { resource: { resourceType: string; id: string } }[] }[]).flatMap(
    ({ entry = [] }) => entry.map(({ resource }) => `${base}/${resource.resourceType}/${resource.id}`),
  );
  return [
    { name: 'read, system', promised: most.read, token: system, paths: readable },
    { name: 'read, patient', promised: most.read, token: own, paths: found },
    { name: 'search, system', promised: most.search, token: system, paths: patients.map(id => `${base}/Observation?patient=${id}&_count=20`) }, // prettier-ignore
    { name: 'search, patient', promised: most.search, token: own, paths: ofPatient },
  ];
}

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset } from '../data/dataset.ts';
import { guardTokens } from '../guard-tokens.ts';
import type { WireRequest } from '../protocol.ts';
import { median, medianRatio } from '../statistics.ts';
import { startChild } from '../child.ts';
import { measure, processors, startClient } from './subjects.ts';
import type { Measured } from './subjects.ts';

/** What the guard, the audit or the explorer costs in one case. */
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
  readonly requests: readonly WireRequest[];
}

/** The ports of the subject that are compared. */
type Ports = Readonly<Record<'open' | 'guarded' | 'audited' | 'explored', number>>;

const connections = 16;
const base = '/r4/demo';
/**
 * What the guard may cost, with a token that is remembered; what the audit may, beside the guard; and what pages for
 * browsers may cost other clients, beside both: nothing that can be measured.
 */
const promised = {
  guard: { read: 1.1, search: 1.15 },
  audit: { read: 1.2, search: 1.2 },
  explorer: { read: 1.05, search: 1.05 },
} as const;
const sides = {
  guard: ['open', 'guarded'],
  audit: ['guarded', 'audited'],
  explorer: ['audited', 'explored'],
} as const;
/** Rounds before anything counts: code that was not run often enough to be optimized is measured too dear. */
const warmUps = 12;
/** Events are kept ten times a second; milliseconds. */
const settle = 150;

/**
 * Asks the service with its guard (or its audit, or its explorer) and without it the same, in turn, and compares
 * processor time per request. Both are in one process: two of them differ by more than a guard costs.
 */
export async function measureGuard(
  what: keyof typeof promised,
  { file, samples }: Dataset,
  { rounds, duration }: { readonly rounds: number; readonly duration: number },
  say: (text: string) => void,
): Promise<readonly GuardRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crs-guard-'));
  const copy = join(folder, 'records.sqlite');
  copyFileSync(file, copy);
  const patient = samples.withConditions[0] ?? '';
  const client = await startClient();
  const child = await startChild('./subjects/guarded.ts', { arguments: [copy, patient], processor: processors.server });
  const ports = child.greeting as Ports; // as subjects/guarded.ts says
  try {
    const cases = await casesOf(ports.open, patient, promised[what]);
    const kept = cases.map(() => [[], []] as [Measured[], Measured[]]);
    for (let round = -warmUps; round < rounds; round++) {
      say(round < 0 ? 'Warming up …' : `Round ${round + 1} of ${rounds} …`);
      for (const [at, { requests }] of cases.entries())
        for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          const port = ports[sides[what][side]];
          const load = { requests, connections, duration, status: 200, settle };
          const run = await measure(client, { name: 'service', port, child }, load);
          if (round >= 0) kept[at]?.[side].push(run);
        }
    }
    return cases.map((one, at): GuardRow => {
      const [without, withGuard] = (kept[at] ?? [[], []]).map(runs => runs.map(({ cpu }) => cpu));
      const times = medianRatio(withGuard ?? [], without ?? []);
      return {
        case: one.name,
        without: median(without ?? []),
        with: median(withGuard ?? []),
        times,
        promised: one.promised,
      };
    });
  } finally {
    await Promise.all([client, child].map(one => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The same requests by either token, for records of the patient; the token goes to the open port too, as clients send
 * it.
 */
async function casesOf(
  port: number,
  patient: string,
  most: { readonly read: number; readonly search: number },
): Promise<readonly GuardCase[]> {
  const searches = types.map(type => `${base}/${type}?patient=${patient}&_count=20`);
  const bundles = await Promise.all(
    searches.map(async path => (await fetch(`http://127.0.0.1:${port}${path}`)).json()),
  );
  const reads = (bundles as { entry?: { resource: { resourceType: string; id: string } }[] }[]).flatMap(
    ({ entry = [] }) => entry.map(({ resource }) => `${base}/${resource.resourceType}/${resource.id}`),
  );
  const asked = (paths: readonly string[], token: string): readonly WireRequest[] =>
    paths.map(path => ({ path, headers: { Accept: 'application/fhir+json', Authorization: `Bearer ${token}` } }));
  return (['read', 'search'] as const).flatMap(kind =>
    (['system', 'patient'] as const).map(whose => ({
      name: `${kind}, ${whose}`,
      promised: most[kind],
      requests: asked(kind === 'read' ? reads : searches, guardTokens[whose]),
    })),
  );
}

/** Of what belongs to a patient, what both tokens read. */
const types = ['Condition', 'Appointment', 'Encounter'];

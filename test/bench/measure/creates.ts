import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestCase } from '../cases.ts';
import { subject } from '../create-cases.ts';
import { loadInto, temporary } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import { rowsOf } from './requests.ts';
import type { RequestRow, Rounds } from './requests.ts';
import { measure, requestsFor, startClient, startSubject } from './subjects.ts';
import type { Measured } from './subjects.ts';

/** Measures what writes, on a store that is made for it: every answer means that bytes and record are on the disk. */
export async function measureCreates(
  cases: readonly RequestCase[],
  data: Dataset,
  { rounds, duration, connections }: Rounds,
  say: (text: string) => void,
): Promise<readonly RequestRow[]> {
  const scratch = temporary('creates');
  const file = join(scratch.folder, 'records.sqlite');
  const records = join(scratch.folder, 'records.ndjson');
  writeFileSync(records, `${JSON.stringify(subject)}\n`);
  await loadInto(file, records);
  const client = await startClient({ bound: false });
  const service = await startSubject('service', file, { bound: false });
  const numbers = [...new Set([...connections, ...cases.flatMap(one => one.connections ?? [])])].sort((a, b) => a - b);
  try {
    const kept = new Map<string, Measured[]>();
    for (let round = -1; round < rounds; round++) {
      say(round === -1 ? 'Creating, to warm up …' : `Creating, ${round + 1} of ${rounds} …`);
      for (const count of numbers)
        for (const one of cases) {
          if (!(one.connections ?? connections).includes(count)) continue;
          const requests = requestsFor('service', one, data, { pageToken: '' }, 0);
          const run = await measure(client, service, {
            requests,
            connections: count,
            duration,
            status: one.status ?? 200,
          });
          const key = `${one.name} ${count} service`;
          if (round >= 0) kept.set(key, [...(kept.get(key) ?? []), run]);
        }
    }
    return rowsOf(cases, numbers, kept);
  } finally {
    await Promise.all([client, service.child].map(child => child.stop()));
    scratch.remove();
  }
}

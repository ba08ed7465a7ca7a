import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadInto, ndjson, partition, temporary } from '../data/dataset.ts';
import { pageInterfaces } from '../page-cases.ts';
import { median } from '../statistics.ts';
import { startSubject } from './subjects.ts';

/** How long a page for browsers takes, from the request to its last byte, one request after another. */
export interface PageRow {
  readonly page: string;
  /** Milliseconds, the median of the requests. */
  readonly wall: number;
}

const records = 600;
/** Code that was not run often enough to be optimized is measured too dear. */
const warmUps = 20;

/** Asks for each page of each interface, of a server with the records of a few patients. */
export async function measurePages(
  { requests }: { readonly requests: number },
  say: (text: string) => void,
): Promise<readonly PageRow[]> {
  const scratch = temporary('pages');
  try {
    const source = await ndjson(records, 9, join(scratch.folder, 'records.ndjson'));
    const patient = firstPatient(source.file);
    const rows: PageRow[] = [];
    for (const [at, [name, settings, cases]] of pageInterfaces.entries()) {
      say(`Asking for pages of ${name} …`);
      const file = join(scratch.folder, `${at}.sqlite`);
      await loadInto(file, source.file);
      const { port, child } = await startSubject('service', file, { bound: false, settings });
      try {
        for (const pattern of cases) {
          const path = pattern.replace('{patient}', patient);
          const url = `http://127.0.0.1:${port}${path.startsWith('//') ? path.slice(1) : `/r4/${partition}${path}`}`;
          const times: number[] = [];
          for (let count = -warmUps; count < requests; count++) {
            const took = await timeOf(url);
            if (count >= 0) times.push(took);
          }
          rows.push({ page: `${name}: ${pattern}`, wall: median(times) });
        }
      } finally {
        await child.stop();
      }
    }
    return rows;
  } finally {
    scratch.remove();
  }
}

async function timeOf(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { headers: { Accept: 'text/html' } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} is answered ${response.status}`);
  return performance.now() - started;
}

function firstPatient(file: string): string {
  const records = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const types = records.map(text => JSON.parse(text) as { readonly resourceType: string; readonly id: string });
  return types.find(({ resourceType }) => resourceType === 'Patient')?.id ?? '';
}

// A client of exports: it starts one, polls until it is complete, and reads all files.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { Answer, Served } from '../../support/serve.ts';

/** A line of a file, of which tests look into what they know. */
type Line = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- as above

/** An item of `output`, `deleted` or `error`. */
interface Item {
  readonly type: string;
  readonly url: string;
  readonly count: number;
}

export interface Manifest {
  readonly transactionTime: string;
  readonly request: string;
  readonly requiresAccessToken: boolean;
  readonly output: readonly Item[];
  readonly deleted: readonly Item[];
  readonly error: readonly Item[];
}

export interface Exported {
  /** The path of the job, below the base. */
  readonly job: string;
  readonly manifest: Manifest;
  /** `Type/id` of the records, as the files have them. */
  readonly names: readonly string[];
  readonly records: readonly Line[];
  /** `Type/id` of the deletions. */
  readonly deleted: readonly string[];
  /** The texts of `error`. */
  readonly errors: readonly string[];
}

type Headers = Record<string, string>;

/** The flag for a folder of its own: MongoDB has none beside it. */
export function exportFolder(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'crs-exports-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return ['--export-folder', folder];
}

/** Starts an export: by POST with Parameters if there is a body. */
export const start = (served: Served, path: string, headers: Headers = {}, parameters?: object[]): Promise<Answer> =>
  parameters === undefined
    ? served.get(path, headers)
    : served.ask('POST', path, {
        headers: { ...headers, 'Content-Type': 'application/fhir+json' },
        body: JSON.stringify({ resourceType: 'Parameters', parameter: parameters }),
      });

/** The path below the base of an absolute URL. */
export const below = (served: Served, url: string): string => url.slice(served.base.length);

/** Polls until the job is complete or has failed. */
export async function complete(served: Served, job: string, headers: Headers = {}): Promise<Answer> {
  for (;;) {
    const answer = await served.get(job, headers);
    if (answer.status !== 202) return answer;
    await rest(25);
  }
}

/** An export from its start to its last file. */
export async function exported(
  served: Served,
  path: string,
  headers: Headers = {},
  parameters?: object[],
): Promise<Exported> {
  const started = await start(served, path, headers, parameters);
  if (started.status !== 202) throw new Error(`${path}: ${started.status} ${started.text}`);
  const job = below(served, String(started.headers['content-location']));
  const { Prefer: _, ...later } = headers;
  const answer = await complete(served, job, later);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  const manifest = answer.json as Manifest;
  const lines = async (items: readonly Item[]): Promise<readonly Line[]> => {
    const found: Line[] = [];
    for (const { type, url, count } of items) {
      const file = await served.get(below(served, url), later);
      if (file.status !== 200) throw new Error(`${url}: ${file.status} ${file.text}`);
      const own = file.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Line);
      if (own.length !== count || own.some(one => one['resourceType'] !== type))
        throw new Error(`${url} is not ${count} ${type}`);
      found.push(...own);
    }
    return found;
  };
  const records = await lines(manifest.output);
  const deleted = (await lines(manifest.deleted)).flatMap(bundle =>
    (bundle['entry'] as { request: { method: string; url: string } }[]).map(({ request }) => request.url),
  );
  const errors = (await lines(manifest.error)).flatMap(outcome =>
    (outcome['issue'] as { diagnostics: string }[]).map(({ diagnostics }) => diagnostics),
  );
  const names = records.map(({ resourceType, id }) => `${resourceType}/${id}`);
  return { job, manifest, names, records, deleted, errors };
}

import { setTimeout } from 'node:timers/promises';
import { deepPage, isDeep, largeResult } from '../cases.ts';
import type { Places, RequestCase, SubjectName } from '../cases.ts';
import { startChild } from '../child.ts';
import type { Child } from '../child.ts';
import type { Dataset } from '../data/dataset.ts';
import type { RunResult, Usage, WireRequest } from '../protocol.ts';

/** A server that is measured. */
export interface Subject {
  readonly name: SubjectName;
  readonly port: number;
  readonly child: Child;
}

/**
 * Servers share one processor and the load generator has another, where there are two: it is the same for all of them.
 */
export const processors = { server: 0, client: 1 } as const;

/** `bound: false` for what is compared with nothing: it may use all processors, as in service. */
export async function startSubject(
  name: SubjectName,
  file: string,
  {
    bound = true,
    recording = '',
    settings = [],
    bench,
  }: {
    readonly bound?: boolean;
    readonly recording?: string;
    readonly settings?: readonly string[];
    readonly bench?: URL;
  } = {},
): Promise<Subject> {
  const place = { ...(bound && { processor: processors.server }), ...(bench && { bench }) };
  const module = name === 'page' ? 'floor' : name;
  const more = { bare: [], service: settings, floor: [recording], page: [recording, 'page'] }[name];
  const child = await startChild(`./subjects/${module}.ts`, { arguments: [file, ...more], ...place });
  return { name, port: Number(child.greeting), child };
}

export function startClient({ bound = true }: { readonly bound?: boolean } = {}): Promise<Child> {
  return startChild('./load-generator.ts', bound ? { processor: processors.client } : {});
}

/** One run: requests with processor time of the server per request, in microseconds. */
export interface Measured extends RunResult {
  readonly cpu: number;
}

export interface Load {
  readonly requests: readonly WireRequest[];
  readonly connections: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly status: number;
  readonly rate?: number;
  /** Milliseconds to wait for work after the answers, whose processor time counts as well. */
  readonly settle?: number;
}

/** Sends requests to a subject for a while. Throws where an answer has another status than it should. */
export async function measure(client: Child, { child, name, port }: Subject, load: Load): Promise<Measured> {
  const { connections, settle, ...run } = load;
  await client.ask({ kind: 'connect', port, connections });
  const before = await child.ask<Usage>({ kind: 'usage' });
  const result = await client.ask<RunResult>({ kind: 'run', ...run });
  if (settle !== undefined) await setTimeout(settle);
  const after = await child.ask<Usage>({ kind: 'usage' });
  await client.ask({ kind: 'disconnect' });
  if (result.failures > 0) throw new Error(`${result.failures} answers of ${name} were wrong: ${result.firstFailure}`);
  return { ...result, cpu: (after.cpu - before.cpu) / result.requests };
}

/** What a subject is asked in a case; `bytes`: what the floor answers on average. */
export function requestsFor(
  subject: SubjectName,
  one: RequestCase,
  { samples }: Dataset,
  places: Places,
  bytes: number,
): readonly WireRequest[] {
  if (subject === 'bare') return [{ path: `/${Math.round(bytes)}` }];
  return one.requests(samples, places);
}

/**
 * Walks to the page before the deep one, for its next link, if a case asks for it; throws where the result has fewer
 * pages.
 */
export async function findPlaces(service: Subject, cases: readonly RequestCase[]): Promise<Places> {
  if (!cases.some(isDeep)) return { pageToken: '' };
  let path = largeResult;
  for (let page = 1; page < deepPage; page++) {
    const { link } = JSON.parse(await answerOf(service, path)) as { link: { relation: string; url: string }[] };
    const next = link.find(({ relation }) => relation === 'next')?.url;
    if (next === undefined) throw new Error(`The large result has only ${page} pages`);
    path = next.replace(/^[a-z]+:\/\/[^/]+/, '');
  }
  return { pageToken: path.split('_page_token=')[1] ?? '' };
}

/** Has the service write down, into a file, what statements it runs for requests; gives where pages begin. */
export async function record(
  store: string,
  cases: readonly RequestCase[],
  paths: (places: Places) => readonly string[],
  recording: string,
): Promise<Places> {
  const child = await startChild('./subjects/recorder.ts', { arguments: [store] });
  try {
    const places = await findPlaces({ name: 'service', port: Number(child.greeting), child }, cases);
    await child.ask({ kind: 'record', paths: paths(places), file: recording });
    return places;
  } finally {
    await child.stop();
  }
}

/** Checks that the floor answers the same records as the service, or what is compared is not the same work. */
export async function compareAnswers(
  floor: Subject,
  service: Subject,
  cases: readonly RequestCase[],
  data: Dataset,
  places: Places,
): Promise<void> {
  for (const one of cases) {
    const asked = requestsFor('floor', one, data, places, 0).slice(0, 20);
    const alike = requestsFor('service', one, data, places, 0).slice(0, 20);
    for (const [at, { path }] of asked.entries()) {
      const [left, right] = [await answerOf(floor, path), await answerOf(service, alike[at]?.path ?? '')];
      if (recordsOf(left) === recordsOf(right)) continue;
      throw new Error(
        `For ${path} the floor answers otherwise than the service:\n${left.slice(0, 600)}\n${right.slice(0, 600)}`,
      );
    }
  }
}

/** A record, or the entries of a Bundle: links differ. */
const recordsOf = (text: string): string => {
  const at = text.indexOf('"entry":');
  return at === -1 && text.startsWith('{"resourceType":"Bundle"') ? '' : text.slice(Math.max(0, at));
};

async function answerOf({ port, name }: Subject, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${name} answers ${response.status} to ${path}: ${text}`);
  return text;
}

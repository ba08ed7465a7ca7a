import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '../../../src/demo/generate.ts';
import { loadInto, temporary } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import { writeVersionInterface } from '../data/join-interface.ts';
import type { JoinCase } from '../join-cases.ts';
import { counterMark } from '../protocol.ts';
import type { WireRequest } from '../protocol.ts';
import { median } from '../statistics.ts';
import { deepPageOf, recordHistory, updateCase } from '../version-cases.ts';
import { askOf, compareWithPlain } from './joins.ts';
import type { JoinRow } from './joins.ts';
import { measure, startClient, startSubject } from './subjects.ts';
import type { Subject } from './subjects.ts';

interface Rounds {
  readonly rounds: number;
  readonly duration: number;
}

const connections = 16;
/** Code that was not run often enough to be optimized is measured too dear. */
const warmUps = 6;
/** Records that are updated in turn, so that two updates of one rarely meet. */
const updated = 1_000;
const path = '/r4/demo/Observation';
const headers = { 'Content-Type': 'application/fhir+json' };

/** Compares updates with creates, and page 1,000 of histories with page 1; `isWanted` chooses by their names. */
export async function measureVersions(
  isWanted: (name: string) => boolean,
  histories: readonly JoinCase[],
  data: () => Promise<Dataset>,
  rounds: Rounds,
  say: (text: string) => void,
): Promise<readonly JoinRow[]> {
  const rows: JoinRow[] = [];
  if (isWanted(updateCase.name) || isWanted(recordHistory.name)) {
    const scratch = temporary('versions');
    const file = join(scratch.folder, 'records.sqlite');
    const records = join(scratch.folder, 'records.ndjson');
    writeFileSync(records, `${sample.patient}\n`);
    await loadInto(file, records);
    const service = await startSubject('service', file, {
      settings: ['--capability', writeVersionInterface(scratch.folder)],
    });
    try {
      if (isWanted(updateCase.name)) rows.push(await updatesBesideCreates(service, rounds, say));
      if (isWanted(recordHistory.name)) rows.push(...(await historyOfRecord(service, rounds, say)));
    } finally {
      await service.child.stop();
      scratch.remove();
    }
  }
  return histories.length === 0 ? rows : [...rows, ...(await historiesOf(histories, await data(), rounds, say))];
}

/** A patient and one of its records, which differs at each write. */
const sample = (() => {
  const texts = [...generate({ patients: 1, seed: 1 })];
  const patient = texts.find(({ type }) => type === 'Patient')?.text ?? '';
  const { id: _, ...observation } = JSON.parse(texts.find(({ type }) => type === 'Observation')?.text ?? '') as Content;
  return { patient, observation: { ...observation, note: [{ text: `Measured as number ${counterMark}.` }] } };
})();

interface Content {
  readonly id: string;
  readonly [element: string]: unknown;
}

const put = (id: string): WireRequest => ({
  path: `${path}/${id}`,
  method: 'PUT',
  headers,
  body: JSON.stringify({ ...sample.observation, id }),
});

async function updatesBesideCreates(service: Subject, { rounds, duration }: Rounds, say: Say): Promise<JoinRow> {
  const client = await startClient();
  const creates: WireRequest[] = [{ path, method: 'POST', headers, body: JSON.stringify(sample.observation) }];
  const updates = Array.from({ length: updated }, (_, at) => put(`updated-${at}`));
  try {
    for (const request of updates) await sendTo(service, request);
    const costOf = async (requests: readonly WireRequest[], status: number): Promise<number> =>
      (await measure(client, service, { requests, connections, duration, status })).cpu;
    const runs: { cost: number; plain: number }[] = [];
    for (let round = -warmUps; round < rounds; round += 1) {
      say(round < 0 ? 'Warming up …' : `Updating and creating, ${round + 1} of ${rounds} …`);
      const isFirst = round % 2 === 0; // in turn, since the second of the two finds a larger store
      const before = isFirst ? await costOf(updates, 200) : undefined;
      const plain = await costOf(creates, 201);
      const cost = before ?? (await costOf(updates, 200));
      if (round >= 0) runs.push({ cost, plain });
    }
    return {
      ...updateCase,
      cost: median(runs.map(({ cost }) => cost)),
      plain: median(runs.map(({ plain }) => plain)),
      times: median(runs.map(({ cost, plain }) => cost / plain)),
    };
  } finally {
    await client.stop();
  }
}

async function historyOfRecord(service: Subject, rounds: Rounds, say: Say): Promise<readonly JoinRow[]> {
  say('Updating a record …');
  for (let version = 1; version <= recordHistory.versions; version += 1)
    await sendTo(service, put('often'), String(version).padStart(counterMark.length, '0'));
  const first = `${path}/often/_history?_count=${recordHistory.count}`;
  const requests = await deepPageOf(first, askOf(service));
  const { name, most } = recordHistory;
  return compareWithPlain([{ name, most, requests: () => Promise.resolve(requests) }], service, noSamples, rounds, say);
}

async function historiesOf(
  cases: readonly JoinCase[],
  data: Dataset,
  rounds: Rounds,
  say: Say,
): Promise<readonly JoinRow[]> {
  const scratch = temporary('histories');
  const settings = ['--capability', writeVersionInterface(scratch.folder)];
  const service = await startSubject('service', data.file, { settings });
  try {
    return await compareWithPlain(cases, service, data, rounds, say);
  } finally {
    await service.child.stop();
    scratch.remove();
  }
}

/** For requests that depend on no sample. */
const noSamples: Pick<Dataset, 'samples'> = {
  samples: { records: [], patients: [], families: [], withConditions: [], bookedDays: [] },
};

type Say = (text: string) => void;

/** One request, with this text in place of the counter. */
async function sendTo({ port }: Subject, { path: to, method, body = '' }: WireRequest, counter = '0'): Promise<void> {
  const text = body.replace(counterMark, counter);
  const answer = await fetch(`http://127.0.0.1:${port}${to}`, { method: method ?? 'GET', headers, body: text });
  if (!answer.ok) throw new Error(`${answer.status} for ${to}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

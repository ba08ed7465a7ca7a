import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { hideCredentials, parseStoreUrl } from '../../../src/store/url.ts';
import type { Budget, Figures } from '../budgets.ts';
import { isDeep, requestCases } from '../cases.ts';
import type { RequestCase } from '../cases.ts';
import { startChild } from '../child.ts';
import { loadInto, ndjson, samplesOf, temporary } from '../data/dataset.ts';
import { measureRequests } from './requests.ts';
import type { RequestResults, Rounds, Setup } from './requests.ts';
import { findPlaces, processors, startSubject } from './subjects.ts';
import type { Subject } from './subjects.ts';

export interface MongoResults {
  readonly requests: RequestResults;
  /** Records a second: the load of the service, and `insertMany` of the same documents with the same indexes. */
  readonly load: { readonly service: number; readonly bare: number };
}

/** Aims of the store on MongoDB, as shares of the requests, or records, a second of the bare driver. */
const aims = { read: 0.8, search: 0.6, load: 0.6 } as const;
const loadName = 'load of bare insertMany';

const aimOf = ({ name }: RequestCase): number | undefined => {
  if (name === 'read by id') return aims.read;
  return name.includes('?patient') ? aims.search : undefined;
};

/**
 * What is aimed at on MongoDB, and what of it was measured: at several connections, since one alone waits for the
 * client.
 */
export function mongoBudgets(
  cases: readonly RequestCase[],
  { requests, load }: MongoResults,
): { budgets: readonly Budget[]; figures: Figures } {
  const figures: Record<string, number> = { [loadName]: load.service / load.bare };
  const budgets: Budget[] = [{ name: loadName, is: 'at least', value: aims.load, unit: '' }];
  for (const one of cases) {
    const aim = aimOf(one);
    const rows = requests.rows.filter(row => row.case === one.name && row.subject === 'service' && row.connections > 1);
    if (aim === undefined || rows.length === 0) continue;
    budgets.push({ name: `${one.name} of floor`, is: 'at least', value: aim, unit: '' });
    figures[`${one.name} of floor`] = Math.min(...rows.map(({ ofFloor }) => ofFloor));
  }
  return { budgets, figures };
}

/**
 * Measures the service on MongoDB beside bare calls of the driver. It makes two databases beside the one that the URL
 * names, with `-bench` and `-bench-bare` behind the name, and drops them before and after.
 */
export async function measureMongo(
  url: string,
  wanted: readonly RequestCase[],
  rounds: Rounds & { readonly records: number },
  say: (text: string) => void,
): Promise<MongoResults> {
  const parsed = parseStoreUrl(url);
  if (parsed?.kind !== 'mongodb') throw new Error(`\`${hideCredentials(url)}\` is no URL of MongoDB`);
  const names = { service: `${parsed.database}-bench`, bare: `${parsed.database}-bench-bare` };
  const own = withDatabase(url, names.service);
  const client = await new MongoClient(url).connect();
  const drop = async (): Promise<void> => {
    for (const name of Object.values(names)) await client.db(name).dropDatabase();
  };
  const scratch = temporary('mongo');
  try {
    await drop();
    const records = await ndjson(rounds.records, 1, join(scratch.folder, 'records.ndjson'), say);
    say(`Loading ${records.count.toLocaleString('en-US')} resources …`);
    const load = await loadInto(own, records.file, join(scratch.folder, 'rejects.ndjson'));
    say('Inserting the same documents …');
    const bare = await insertAgain(client.db(names.service), client.db(names.bare));
    const data = { file: own, resources: records.count, samples: samplesOf(rounds.records, 1), load };
    const deep = rounds.records >= 100_000;
    const cases = wanted.filter(one => deep || !isDeep(one));
    const requests = await measureRequests(cases, data, rounds, say, async (paths, recording): Promise<Setup> => {
      const child = await startChild('./subjects/mongo-recorder.ts', { arguments: [own] });
      const recorder: Subject = { name: 'service', port: Number(child.greeting), child };
      await searchable(recorder);
      const places = await findPlaces(recorder, cases);
      await child.ask({ kind: 'record', paths: paths(places), file: recording });
      await child.stop();
      const floor = await startChild('./subjects/mongo-floor.ts', {
        arguments: [own, recording, names.service],
        processor: processors.server,
      });
      const subjects = [
        await startSubject('bare', own),
        { name: 'floor' as const, port: Number(floor.greeting), child: floor },
        await startSubject('service', own),
      ];
      return { subjects, places };
    });
    return { requests, load: { service: load.records / load.seconds, bare } };
  } finally {
    await drop();
    await client.close();
    scratch.remove();
  }
}

/** The URL with another database. */
function withDatabase(url: string, name: string): string {
  const [, before = '', options = ''] = /^([^:]+:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  return `${before}/${name}${options}`;
}

/** Waits until no index is being built any more. */
async function searchable({ port }: Subject): Promise<void> {
  const paths = requestCases.flatMap(one =>
    one.requests(
      { records: [], patients: ['x'], families: ['x'], withConditions: ['x'], bookedDays: ['2025-01-01'] },
      { pageToken: '' },
    ),
  );
  for (const { path } of paths.filter(({ path }) => !path.includes('_page_token')))
    while ((await fetch(`http://127.0.0.1:${port}${path}`)).status === 503) await sleep(500);
}

/**
 * Copies all documents of types, a thousand at a time, with the same indexes; gives documents a second of the inserts
 * alone.
 */
async function insertAgain(from: Db, to: Db): Promise<number> {
  const collections = await from.listCollections({}, { nameOnly: true }).toArray();
  let documents = 0;
  let milliseconds = 0;
  for (const { name } of collections.filter(one => /^[A-Z][A-Za-z]*$/.test(one.name))) {
    const indexes = await from.collection(name).indexes();
    const target = to.collection(name, { writeConcern: { w: 'majority', journal: true } });
    const own = indexes.filter(index => index.name !== '_id_');
    if (own.length > 0)
      await target.createIndexes(own.map(({ key, name: indexName }) => ({ key, name: indexName ?? '' })));
    const insert = async (batch: object[]): Promise<void> => {
      const started = performance.now();
      await target.insertMany(batch, { ordered: false });
      milliseconds += performance.now() - started;
      documents += batch.length;
    };
    let batch: object[] = [];
    for await (const document of from.collection(name).find({})) {
      batch.push(document);
      if (batch.length < 1_000) continue;
      await insert(batch);
      batch = [];
    }
    if (batch.length > 0) await insert(batch);
  }
  return (documents * 1000) / milliseconds;
}

import { type Document, MongoClient } from 'mongodb';
import type { IndexEntry } from '../../../../src/indexing/entry.ts';
import type { Model, ResourceType } from '../../../../src/model/model.ts';
import { bucketFor } from '../../../../src/store/mongo/bucket.ts';
import { type Core, type PartitionInfo, resources } from '../../../../src/store/mongo/core.ts';
import { indexFields } from '../../../../src/store/mongo/entries.ts';
import { createRegistry } from '../../../../src/store/mongo/registry.ts';
import { openMongoStore } from '../../../../src/store/mongo/store.ts';
import { newMongoPlace } from '../../../support/mongodb/place.ts';

/** A store with a partition `clinic`, whose commands to the server are recorded. */
export interface Seen {
  readonly core: Core;
  readonly partition: PartitionInfo;
  readonly url: string;
  /** Puts resources with these entries; their ids are `r0`, `r1` and so on, their texts are nothing. */
  put(type: ResourceType, entries: readonly (readonly IndexEntry[])[]): Promise<void>;
  /** The questions that work puts: as it put them. */
  asked(work: () => Promise<unknown>): Promise<readonly Document[]>;
  /** What the server says that a question does. */
  explain(question: Document): Promise<Explained>;
  close(): Promise<void>;
}

export interface Explained {
  /** All stages of the plan, the outermost first. */
  readonly stages: readonly string[];
  readonly indexes: readonly string[];
  readonly returned: number;
  readonly keys: number;
  readonly documents: number;
}

export async function openSeen(
  model: Model,
  { deadline = 20_000, server }: { deadline?: number; server?: string } = {},
): Promise<Seen> {
  const place = await newMongoPlace(server);
  const options = { model, extract: () => [], now: Date.now, mode: 'serve', deadline } as const;
  const store = await openMongoStore(place.url, options);
  await store.partitions.add('clinic', { zone: 'UTC' });
  const client = await new MongoClient(place.url, { monitorCommands: true }).connect();
  const database = client.db();
  const core: Core = {
    client,
    database,
    options,
    deployment: { sharded: (await database.command({ hello: 1 }))['msg'] === 'isdbgrid' },
    registry: createRegistry(database),
    process: '',
    bucketKey: '',
    stamps: new Map(),
    underWay: new Set(),
    writes: new Set(),
    everyWrite: new Set(),
    beganBeside: false,
    views: { latest: undefined, changing: undefined },
    ending: new AbortController().signal,
  };
  const partition = await core.registry.partition('clinic');
  if (partition === undefined) throw new Error('The partition is not there');
  return {
    core,
    partition,
    url: place.url,
    async put(type, entries) {
      const { p } = partition;
      const documents = entries.map((of, at) => ({
        _id: `${p}/r${at}`,
        p,
        b: bucketFor(core, type, p, `r${at}`, of),
        version: 1,
        updated: at,
        made: '',
        text: '{}',
        ...indexFields(type, p, `r${at}`, { updated: at, created: at }, of),
      }));
      for (let at = 0; at < documents.length; at += 1_000)
        await resources(core, type.name).insertMany(documents.slice(at, at + 1_000), { ordered: false });
    },
    async asked(work) {
      const questions: Document[] = [];
      const see = ({ command }: { command: Document }): void => {
        if ('find' in command || 'aggregate' in command) questions.push(command);
      };
      client.on('commandStarted', see);
      await work();
      client.off('commandStarted', see);
      return questions.filter(({ find }) => model.types.has(String(find)));
    },
    async explain(question) {
      const { lsid: _, $db: __, maxTimeMS: ___, ...command } = question;
      const said = await database.command({ explain: command, verbosity: 'executionStats' });
      const stages = stagesOf((said['queryPlanner'] as Document)['winningPlan'] as Document);
      const stats = said['executionStats'] as Document;
      return {
        stages: stages.map(({ stage }) => String(stage)),
        indexes: stages.flatMap(({ indexName }) => (indexName === undefined ? [] : [String(indexName)])),
        returned: Number(stats['nReturned']),
        keys: Number(stats['totalKeysExamined']),
        documents: Number(stats['totalDocsExamined']),
      };
    },
    async close() {
      await client.close();
      await store.close();
      await place.remove();
    },
  };
}

function stagesOf(plan: Document): readonly Document[] {
  const inner = [plan['inputStage'], ...((plan['inputStages'] ?? []) as Document[])].filter(
    stage => stage !== undefined,
  );
  return [plan, ...inner.flatMap(stage => stagesOf(stage as Document))];
}

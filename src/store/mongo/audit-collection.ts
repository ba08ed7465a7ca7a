import type { Collection, Filter } from 'mongodb';
import { isChainName, parseLine } from '../audit/line.ts';
import type { AuditFilter, ChainPlace, KeptLine, OpenChain } from '../audit/line.ts';
import type { Core } from './core.ts';
import { withPortErrors, withPortErrorsEach } from './failures.ts';
import type { AuditDocument } from './layout.ts';

/** Chains of audit events in the append-only collection `audit`: one document per line. */
export function auditCollection(core: Core): ChainPlace {
  const collection = core.database.collection<AuditDocument>('audit');
  return {
    chains: () => withPortErrors(core, () => chainsIn(collection)),
    async begin(chain) {
      await withPortErrors(core, () => makeIndexes(collection));
      return openChain(core, collection, chain);
    },
    lines: (chain, filter) => withPortErrorsEach(core, () => linesOf(collection, chain, filter)),
    last: chain =>
      withPortErrors(core, async () => (await collection.find({ chain }).sort({ _id: -1 }).limit(1).next())?.line),
    remove: chain => withPortErrors(core, async () => void (await collection.deleteMany({ chain }))),
  };
}

function openChain(core: Core, collection: Collection<AuditDocument>, chain: string): OpenChain {
  return {
    write: (n, lines) =>
      withPortErrors(core, async () => {
        const documents = lines.map((line, at) => documentOf(chain, n + at, line));
        await collection.insertMany(documents); // durable, like all writes of the store, whatever the URL says
      }),
    close: async () => {},
  };
}

function documentOf(chain: string, n: number, line: string): AuditDocument {
  const entry = parseLine(line)?.entry;
  const { recorded, partition, client, patients = [] } = entry ?? {};
  return {
    _id: `${chain}/${String(n).padStart(12, '0')}`,
    chain,
    n,
    line,
    ...(recorded === undefined ? {} : { at: recorded }),
    ...(partition === undefined ? {} : { partition }),
    ...(client === undefined ? {} : { client }),
    ...(patients.length === 0 ? {} : { patients }),
  };
}

/** Makes the indexes by chain, and by the first line, since each chain has one. */
async function makeIndexes(collection: Collection<AuditDocument>): Promise<void> {
  await collection.createIndexes([
    { key: { chain: 1, _id: 1 }, name: 'chain' },
    { key: { n: 1, chain: 1 }, name: 'first', partialFilterExpression: { n: 0 } },
    { key: { patients: 1, chain: 1, _id: 1 }, name: 'patients', sparse: true },
  ]);
}

async function chainsIn(collection: Collection<AuditDocument>): Promise<readonly string[]> {
  const found = await collection.find({ n: 0 }).project<{ chain: string }>({ chain: 1 }).toArray();
  return found.map(({ chain }) => chain).filter(isChainName).sort(); // prettier-ignore
}

async function* linesOf(
  collection: Collection<AuditDocument>,
  chain: string,
  { partition, client, patient, since, until }: AuditFilter = {},
): AsyncIterable<KeptLine> {
  const at = { ...(since === undefined ? {} : { $gte: since }), ...(until === undefined ? {} : { $lt: until }) };
  const filter: Filter<AuditDocument> = {
    chain,
    ...(partition === undefined ? {} : { partition }),
    ...(client === undefined ? {} : { client }),
    ...(patient === undefined ? {} : { patients: patient }),
    ...(Object.keys(at).length === 0 ? {} : { at }),
  };
  const found = collection.find(filter).sort({ _id: 1 }).project<{ line: string }>({ line: 1 });
  for await (const { line } of found) yield { text: line, whole: true };
}

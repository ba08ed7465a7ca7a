import { randomUUID } from 'node:crypto';
import { connect } from '../../../../src/store/mongo/connect.ts';
import type { Core } from '../../../../src/store/mongo/core.ts';
import { startHeartbeat } from '../../../../src/store/mongo/heartbeat.ts';
import { prepareDatabase } from '../../../../src/store/mongo/prepare-database.ts';
import { createRegistry } from '../../../../src/store/mongo/registry.ts';
import { extract, modelOf } from '../../support/fixture.ts';

/**
 * What the parts of a store share, as a process of its own that works on it and is not a server; `close` takes leave.
 */
export async function openCore(url: string): Promise<Core & { close(): Promise<void> }> {
  const deadline = 5_000;
  const { client, name, deployment } = await connect(url, deadline);
  const database = client.db(name, { readPreference: 'primary' });
  const core: Core = {
    client,
    database,
    options: { model: modelOf(), extract, now: Date.now, mode: 'command', deadline },
    deployment,
    registry: createRegistry(database),
    process: randomUUID(),
    bucketKey: await prepareDatabase(database, { mode: 'command', now: Date.now }),
    stamps: new Map(),
    underWay: new Set(),
    writes: new Set(),
    everyWrite: new Set(),
    beganBeside: false,
    views: { latest: undefined, changing: undefined },
    ending: new AbortController().signal,
  };
  const leave = await startHeartbeat(core);
  return {
    ...core,
    async close() {
      await leave();
      await client.close();
    },
  };
}

import { MongoClient, MongoServerError } from 'mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import { VersionConflict } from '../../src/store/port/errors.ts';
import { run } from '../cli/process.ts';
import { cluster, describeOnCluster } from '../support/mongodb/cluster.ts';
import { startMongo } from '../support/mongodb/engine.ts';
import { mongoServer, newMongoPlace } from '../support/mongodb/place.ts';
import { observation, patient } from '../support/resources.ts';
import { put } from '../support/serve.ts';
import { startLoad } from './support/load.ts';
import { fill, startServer } from './support/server.ts';
import { noneLostOrDoubled, ready, refusals } from './support/sound.ts';

// What only some deployments have: these run where CRS_TEST_MONGODB names one, and are left out, by name, where it does
// not.
const { replicaSet, simulated, sharded, credentials } = inject('deployment');

/** A database of its own with the partition `demo`, opened as the service opens it. */
async function opened(server?: string): Promise<{ url: string; demo: Partition }> {
  const place = await newMongoPlace(server);
  const running = await startEngine(
    readConfig(['--store', place.url, '--port', '0', '--log', 'off', '--access', 'open']),
  );
  onTestFinished(async () => {
    await running.close();
    await place.remove();
  });
  const { store } = running.engine;
  await store.partitions.add('demo', { zone: 'UTC' });
  const demo = (await store.partition('demo'))!; // added above
  return { url: place.url, demo };
}

const change = (resource: object & { readonly id?: string }, more: object = {}): Change => {
  const { resourceType: type, id } = resource as unknown as { resourceType: string; id: string };
  return { kind: 'put', type, id, text: splitForStamp(JSON.stringify(resource), id), ...more };
};

describe.skipIf(!replicaSet && !sharded)('transactions (left out without a replica set or a sharded cluster)', () => {
  it('write several changes or none', async () => {
    const { demo } = await opened();
    await demo.write([change(patient('p1')), change(observation('o1'))]);
    const precondition = { is: 'absent' };
    const refused = demo.write([change(patient('p2')), change(observation('o1'), { precondition })]);
    await expect(refused).rejects.toThrow(VersionConflict);
    expect(await demo.read('Patient', 'p2')).toBeUndefined();
  });
});

describe.skipIf(!replicaSet)('a replica set (left out without one)', () => {
  it('whose primary steps down under load loses and doubles nothing, and service resumes', async () => {
    // The simulated one gets another port by the step-down, which other tests would have to follow.
    const own = simulated ? await startMongo() : undefined;
    const place = await newMongoPlace(own?.replicaSetUrl);
    onTestFinished(async () => {
      await place.remove();
      await own?.remove();
    });
    await fill(place.url);
    const server = await startServer(place.url, '--store-timeout', '20');
    onTestFinished(() => server.end());
    const load = startLoad([server.base]);
    await load.created(30);
    const client = new MongoClient(own?.replicaSetUrl ?? mongoServer());
    onTestFinished(() => client.close());
    await client.db('admin').command({ replSetStepDown: 5, force: true });
    await load.created(30);
    await load.stop();
    expect(refusals(load.exchanges, 22_000).size).toBeLessThan(3);
    await ready(server.url, 60_000);
    await noneLostOrDoubled(load.exchanges.slice(-400), server.base);
  });

  it('answers searches from its secondaries where the URL says so', async () => {
    const { url, demo } = await opened();
    await put(demo, [patient('p1')]);
    const server = await startServer(`${url}${url.includes('?') ? '&' : '?'}readPreference=secondaryPreferred`);
    onTestFinished(() => server.end());
    const found = async (): Promise<unknown> =>
      (await fetch(`${server.base}/Patient?name=tremblay&_summary=count`)).json();
    await expect.poll(found, { timeout: 20_000 }).toMatchObject({ total: 1 });
  });
});

describeOnCluster('a store', () => {
  it('reads a record, and searches those of a patient, on one shard', async () => {
    const { url, demo } = await opened(cluster);
    const client = new MongoClient(url);
    onTestFinished(() => client.close());
    await put(demo, [patient('p1'), observation('o1'), observation('o2', { subject: { reference: 'Patient/p2' } })]);
    expect(await demo.count('Observation', { kind: 'all' })).toBe(2);
    const collection = client.db().collection<{ _id: string; p: string; b: string }>('Observation');
    const { p, b, _id } = (await collection.findOne({}))!; // put above
    for (const filter of [
      { p, b, _id },
      { p, b },
    ]) {
      const explained = await collection.find(filter).explain('executionStats');
      expect(explained['queryPlanner'].winningPlan.shards).toHaveLength(1);
    }
    expect((await demo.read('Observation', 'o2'))?.id).toBe('o2');
  });
});

describe.skipIf(!credentials)('credentials (left out without any)', () => {
  it('that are right open the store; wrong ones are refused and not printed', async () => {
    const { url } = await opened();
    const wrong = url.replace(/:\/\/([^:@/]+):[^@]*@/, '://$1:not-the-password@');
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--access', 'open'], {
      env: { CRS_STORE: wrong },
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/rejected the user or the password/)]);
    expect(stdout + stderr).not.toContain('not-the-password');
    const client = new MongoClient(wrong);
    onTestFinished(() => client.close());
    await expect(client.db().command({ ping: 1 })).rejects.toThrow(MongoServerError);
  });
});

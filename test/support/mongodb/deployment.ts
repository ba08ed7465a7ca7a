import { MongoClient } from 'mongodb';
import type { TestProject } from 'vitest/node';
import { mongoServer } from './place.ts';
import { simulatedRouter } from './router.ts';

/** What the server that `CRS_TEST_MONGODB` names has, as it says itself. */
export interface Deployment {
  readonly replicaSet: boolean;
  /** By the bridge before the engine: `bridge/`. */
  readonly simulated: boolean;
  readonly sharded: boolean;
  /** It asks for a name and a password, and the URL holds them. */
  readonly credentials: boolean;
  /** The URL of a sharded cluster: the server itself, or what the bridge before it simulates; null without one. */
  readonly router: string | null;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly deployment: Deployment;
  }
}

const suites: Readonly<Record<'replicaSet' | 'router' | 'credentials', string>> = {
  replicaSet: 'replica set (a step-down of the primary, reads from secondaries, transactions)',
  router: 'sharded cluster (shard keys, what each command touches)',
  credentials: 'credentials (a wrong password, a right one)',
};

/** Tells the tests what the server has, and people which suites are left out for want of it. */
export async function setup(project: TestProject): Promise<void> {
  const url = mongoServer();
  const client = new MongoClient(url);
  try {
    const hello = await client.db('admin').command({ hello: 1 });
    const [simulated, sharded] = [hello['bridge'] === true, hello['msg'] === 'isdbgrid'];
    const router = sharded ? url : simulated ? await simulatedRouter(client) : null;
    const deployment: Deployment = {
      replicaSet: hello['setName'] !== undefined,
      simulated,
      sharded,
      credentials: client.options.credentials !== undefined,
      router,
    };
    project.provide('deployment', deployment);
    const lacks = (Object.keys(suites) as (keyof typeof suites)[]).filter(
      name => deployment[name] === false || deployment[name] === null,
    ); // its own keys
    if (lacks.length > 0)
      console.log(`Left out, since the server has none: ${lacks.map(name => suites[name]).join('; ')}.\n`);
  } finally {
    await client.close();
  }
}

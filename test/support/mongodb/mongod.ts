import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A server that is installed here, running as a replica set of one member. */
export interface Mongod {
  readonly url: string;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

/** Starts the `mongod` on the PATH; undefined if there is none, or one before version 7. */
export async function startMongod(): Promise<Mongod | undefined> {
  const { status, stdout } = spawnSync('mongod', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const [, version] = /db version v(\d+)\./.exec(stdout) ?? [];
  if (Number(version ?? 0) < 7) return undefined;
  const folder = mkdtempSync(join(temporaryFolder(), 'crs-mongod-'));
  const port = await freePort();
  const args = ['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', folder];
  const server = spawn('mongod', args, { stdio: 'ignore' });
  const ended = once(server, 'exit');
  const remove = async (): Promise<void> => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await initiate(port);
  } catch (error) {
    await remove();
    throw error;
  }
  return { url: `mongodb://127.0.0.1:${port}/?replicaSet=rs0`, remove };
}

/** https://www.mongodb.com/docs/manual/reference/command/replSetInitiate/ */
async function initiate(port: number): Promise<void> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  try {
    const admin = client.db('admin');
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    await admin.command({ replSetInitiate: { _id: 'rs0', members } });
    for (const end = Date.now() + 30_000; !(await admin.command({ hello: 1 }))['isWritablePrimary'];) {
      if (Date.now() > end) throw new Error('`mongod` did not become the primary of its replica set within 30 s');
      await setTimeout(50);
    }
  } finally {
    await client.close();
  }
}

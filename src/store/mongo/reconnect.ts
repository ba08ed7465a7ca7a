import type { MongoClient } from 'mongodb';

/** The interval of checks, and the margin for a busy process, in milliseconds. */
const interval = 1_000;
const patience = 3_000;

/**
 * Reconnects if the driver is stuck. A command that it writes in the moment in which the other side closes the
 * connection never ends (7.9.0: `Connection.writeCommand` waits for `drain` of a closed socket). If that is the check
 * of a monitor, the server is not searched any more; if it is another command, its connection is lost to the pool.
 * `longest` is the timeout of an answer, in milliseconds. Returns a function that stops the watch.
 */
export function reconnectWhereStuck(client: MongoClient, longest: number): () => void {
  /** The time at which running commands should have ended. */
  const due = new Map<string, number>();
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  const begin = (name: string, time: number): void => void due.set(name, performance.now() + time + patience);
  const end = (name: string): void => void due.delete(name);
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) =>
    begin(connectionId, connectTimeoutMS + (awaited ? heartbeatFrequencyMS : 0)),
  );
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => end(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => end(connectionId));
  client.on('serverClosed', ({ address }) => end(address));
  client.on('connectionCheckedOut', ({ address, connectionId }) => begin(`${address} ${connectionId}`, 3 * longest));
  client.on('connectionCheckedIn', ({ address, connectionId }) => end(`${address} ${connectionId}`));
  client.on('connectionClosed', ({ address, connectionId }) => end(`${address} ${connectionId}`));

  const ending = new AbortController();
  let reconnecting = false;
  const look = async (): Promise<void> => {
    if (reconnecting || [...due.values()].every(time => time > performance.now())) return;
    reconnecting = true;
    await client.close().catch(() => undefined);
    due.clear();
    while (!ending.signal.aborted && !(await connected(client)))
      await new Promise(resolve => setTimeout(resolve, interval));
    reconnecting = false;
    if (ending.signal.aborted) await client.close();
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return () => {
    ending.abort();
    clearInterval(timer);
  };
}

async function connected(client: MongoClient): Promise<boolean> {
  return client.connect().then(
    () => true,
    () => false,
  );
}

import { writeFileSync } from 'node:fs';
import { BSON, MongoClient } from 'mongodb';
import type { CommandStartedEvent } from 'mongodb';
import type { FindCommand, MongoRecording } from '../protocol.ts';
import { answerQuestions } from './serve.ts';
import { startService } from './start-service.ts';

// A child process: the service on MongoDB, which writes down what it has the driver find for each request, so that the
// floor can have the same found. Never measured. Arguments: those of the service.

let found: FindCommand[] = [];
const isOfType = (collection: unknown): boolean => /^[A-Z][A-Za-z]*$/.test(String(collection));

/** What a server does beside requests may read ids alone. */
const isOfIds = (projection: unknown): boolean => JSON.stringify(projection) === '{"_id":1}';

/** Options of a find that the driver's function takes by the same name. */
const kept = ['sort', 'projection', 'hint', 'limit', 'batchSize', 'maxTimeMS'] as const;

const connect = Object.getOwnPropertyDescriptor(MongoClient.prototype, 'connect')?.value as MongoClient['connect'];
MongoClient.prototype.connect = function (this: MongoClient) {
  this.options.monitorCommands = true;
  this.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (commandName !== 'find' || !isOfType(command['find']) || isOfIds(command['projection'])) return;
    const options = Object.fromEntries(
      kept.flatMap(name => (command[name] === undefined ? [] : [[name, command[name]]])),
    );
    found.push({ collection: String(command['find']), filter: command['filter'] as object, options });
  });
  return connect.call(this);
};

const running = await startService();

async function record(paths: readonly string[], file: string): Promise<void> {
  const requests: Record<string, readonly FindCommand[]> = {};
  for (const path of paths) {
    found = [];
    const response = await fetch(`http://127.0.0.1:${running.port}${path}`);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The service answers ${response.status} to ${path}`);
    requests[path] = found;
  }
  const recording: MongoRecording = { requests };
  writeFileSync(file, BSON.EJSON.stringify(recording, { relaxed: false }));
}

answerQuestions(running.port, () => running.close(), record);

import { writeFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Recording, Ran } from '../protocol.ts';
import { answerQuestions } from './serve.ts';
import { startService } from './start-service.ts';

// A child process: the service, which writes down what statements it runs for each request, so that the floor can run
// the same. Never measured, since writing down costs. Arguments: those of the service.

const statements = new Map<string, number>();
let ran: Ran[] = [];

for (const how of ['all', 'get', 'run'] as const) {
  const original = Object.getOwnPropertyDescriptor(StatementSync.prototype, how)?.value as (
    ...values: unknown[]
  ) => unknown;
  const recorded = function (this: StatementSync, ...values: unknown[]): unknown {
    const statement = statements.get(this.sourceSQL) ?? statements.size;
    statements.set(this.sourceSQL, statement);
    ran.push([statement, how, values as Ran[2]]); // what our statements are given
    return original.apply(this, values);
  };
  Object.defineProperty(StatementSync.prototype, how, { value: recorded });
}

const running = await startService();

async function record(paths: readonly string[], file: string): Promise<void> {
  const requests: Record<string, readonly Ran[]> = {};
  for (const path of paths) {
    // Twice: what only the first of all requests does is not of the request.
    for (let time = 0; time < 2; time++) {
      ran = [];
      const response = await fetch(`http://127.0.0.1:${running.port}${path}`);
      await response.arrayBuffer();
      await setImmediate();
      if (response.status !== 200) throw new Error(`The service answers ${response.status} to ${path}`);
    }
    requests[path] = ran;
  }
  const recording: Recording = { statements: [...statements.keys()], requests };
  writeFileSync(file, JSON.stringify(recording));
}

answerQuestions(running.port, () => running.close(), record);

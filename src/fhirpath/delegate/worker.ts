import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { runJob } from './fhirpath-js.ts';
import type { Job, JobAnswer } from './job.ts';

// The thread in which fhirpath.js runs. It answers each job on the port, and counts the answers for callers that wait
// without an event loop.

// fhirpath.js prints warnings that quote values.
for (const method of ['log', 'info', 'warn', 'error'] as const) console[method] = () => {};

const { port, answered } = workerData as { readonly port: MessagePort; readonly answered: Int32Array }; // see run.ts

const warm = { resourceType: 'Basic' };
runJob({
  expression: "iif(id.exists() or (1 + 2.0 > 3), @2020.toString() & 'x', 1 'mg').where($this != 'x').select($index)",
  focus: { value: warm, code: 'Basic', type: 'Basic' },
  resource: warm,
  rootResource: warm,
  resolve: 'type',
});
answer(undefined);

parentPort?.on('message', (jobs: readonly Job[]) => {
  for (const job of jobs) answer(runJob(job));
});

/** The first one reports that the package is loaded. */
function answer(given: JobAnswer | undefined): void {
  port.postMessage(given);
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
}

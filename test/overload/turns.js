// Loaded into each process of a server by `--import`: writes the longest turns of its event loop, in milliseconds of
// processor time of the main thread, and that of a calibrated loop, to the file that TEST_TURNS names.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env['TEST_TURNS'];
/** How often turns are looked at, in milliseconds: shorter ones count together. */
const often = 5;

/** @returns {number} milliseconds of processor time of this thread */
const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

// The Node that starts another one may be too old to measure threads.
if (file !== undefined && isMainThread && typeof process.threadCpuUsage === 'function') {
  const began = used();
  let sum = 0;
  for (let at = 0; at < 20_000_000; at += 1) sum = (sum + at * 7) % 1_000_003;
  appendFileSync(file, `loop ${used() - began} ${sum}\n`);
  let last = used();
  setInterval(() => {
    const now = used();
    if (now - last > often * 4) appendFileSync(file, `turn ${now - last}\n`);
    last = now;
  }, often).unref();
}

import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds that all threads of a process have run. https://docs.kernel.org/scheduler/sched-stats.html */
export function processorTime(pid = 0): number {
  if (process.platform !== 'linux') return NaN;
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map(id => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

// A process that begins while audit events cannot be stored knows it: src/processes/README.md.
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { createLog } from '../../src/observability/log.ts';
import { startProcesses } from '../../src/processes/parent.ts';
import type { RunningProcesses } from '../../src/processes/parent.ts';
import * as t from '../store/support/fixture.ts';
import { requireModel } from '../support/loaded-once.ts';

let running: RunningProcesses;
let place: Awaited<ReturnType<typeof t.newPlace>>;
afterEach(async () => {
  await running.close();
  await place.remove();
});

const statusOf = async (path: string): Promise<number> => (await fetch(`${running.url}${path}`)).status;

describe('a process that begins while audit events cannot be stored', () => {
  it.each([
    ['replaces those that found it', () => running.restart()],
    [
      'replaces those that found it and died',
      async () => {
        const former = running.children();
        for (const pid of former) process.kill(pid, 'SIGKILL');
        await expect
          .poll(() => running.children().filter(pid => !former.includes(pid)), { timeout: 20_000 })
          .toHaveLength(2);
      },
    ],
  ])('and %s answers no request', async (_, replace) => {
    place = await t.newPlace();
    await (await t.openDemo(place.url)).store.close();
    writeFileSync(`${place.path}.audit`, 'where the folder of events would be');
    const flags = ['--port', '0', '--access', 'open', '--store', place.url, '--processes', '2', '--keep-alive', '0.1'];
    running = await startProcesses(readConfig(flags), createLog('off'), { load: requireModel });
    await expect.poll(() => statusOf('/r4/demo/Patient/p1'), { timeout: 20_000 }).toBe(503);
    await replace();
    for (let at = 0; at < 4; at += 1) {
      expect(await statusOf('/r4/demo/Patient/p1')).toBe(503);
      expect(await statusOf('/readyz')).toBe(503);
    }
  });
});

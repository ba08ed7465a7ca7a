import { servers } from './collections.ts';
import type { Core } from './core.ts';
import { host, runsHere } from './host.ts';

/**
 * Whether a process, by its `_id` in `servers`, is surely gone: it took leave, or ran on this host and runs no more. One that
 * is only silent may come back.
 */
export async function goneProcesses(core: Core): Promise<(process: string) => boolean> {
  const listed = await servers(core.database).find().toArray();
  const known = new Map(listed.map(server => [server._id, server]));
  return id => {
    if (id === core.process) return false;
    const server = known.get(id);
    return server === undefined || (server.host === host && !runsHere(server.pid));
  };
}

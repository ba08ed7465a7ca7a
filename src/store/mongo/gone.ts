import { hostname } from 'node:os';
import type { Core } from './core.ts';
import type { ServerDocument } from './layout.ts';

/**
 * Whether a process, by its `_id` in `servers`, is surely gone: it took leave, or ran on this host and runs no more. One that
 * is only silent may come back.
 */
export async function goneProcesses(core: Core): Promise<(process: string) => boolean> {
  const listed = await core.database.collection<ServerDocument>('servers').find().toArray();
  const known = new Map(listed.map(server => [server._id, server]));
  return id => {
    const server = known.get(id);
    if (id === core.process) return false;
    return server === undefined || (server.host === hostname() && !runs(server.pid));
  };
}

function runs(pid: number): boolean {
  // Ours is this process, which has another `_id`.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

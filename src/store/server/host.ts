import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Identifies where this process runs, so that process ids are comparable: the name of the host and, on Linux, the
 * namespace of process ids, since containers may share a name.
 * https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
 */
export const host = `${hostname()}${namespace()}`;

/** Whether a process with this id runs on this host. */
export function runsHere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It exists and belongs to another user. https://man7.org/linux/man-pages/man2/kill.2.html
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function namespace(): string {
  try {
    return ` ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

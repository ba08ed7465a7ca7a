import { type BytesFolder, bytesFolders, dueBytes } from '../files/sweep.ts';
import { knownAttachments } from './attachment-rows.ts';
import { type Core, submit } from './core.ts';

/** How often a server sweeps, in milliseconds. */
const hour = 3_600_000;

/**
 * Removes, periodically and in slices, attachments without a record: a rejected or repeated write leaves them.
 * `unswept` are the folders that the start has left; the first round comes after `every` milliseconds. Each call sweeps
 * one folder; false if nothing is due.
 */
export function byteSweep(core: Core, unswept: readonly BytesFolder[], every: number = hour): () => Promise<boolean> {
  const known = knownAttachments(core.database);
  let next = performance.now() + every;
  let folders = [...unswept];
  return async () => {
    if (folders.length === 0) {
      if (performance.now() < next) return false;
      next = performance.now() + every;
      folders = [...bytesFolders(known, core.path)];
    }
    const folder = folders.pop();
    if (folder === undefined) return false;
    const due = dueBytes(known, core.path, folder);
    if (due !== undefined) await submit(core, () => ({ kind: 'sweepBytes', due }));
    return true;
  };
}

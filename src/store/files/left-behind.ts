import { existsSync, readdirSync, statSync } from 'node:fs';
import { StoreRefused } from '../port/errors.ts';
import { shellWord } from '../shell-word.ts';
import { isAbsent } from './durable.ts';

/** The remains of a store beside its file, by path: attachments, audit events, a write-ahead log. */
export function leftBehind(path: string): readonly string[] {
  const folders = ['.attachments', '.audit'].map(ending => `${path}${ending}`).filter(isFilled);
  return sizeOf(`${path}-wal`) > 0 ? [...folders, `${path}-wal`] : folders;
}

/**
 * Throws `StoreRefused` if there is no store, but remains of one: its file may be restored, and a new one would not
 * know them. The remains are searched first, since another process may be creating the store.
 */
export function requireNothingLeft(path: string, left: readonly string[] = leftBehind(path)): void {
  if (left.length > 0 && sizeOf(path) === 0) throw refusal(path, left);
}

/** Why no store is created at this path. */
export function refusal(path: string, left: readonly string[]): StoreRefused {
  const named = left.map(one => `\`${one}\``).join(', ');
  return new StoreRefused(
    `There is no store at \`${path}\`, but remains of one are beside it: ${named}. ` +
      'Mount the disk of the store, or restore its file. For a new store name another file, ' +
      `or move the remains away: \`mv ${left.map(shellWord).join(' ')} ELSEWHERE\``,
  );
}

/**
 * A notice that the attachments are missing, as a sentence for operators; undefined if some exist, or none are needed.
 */
export function lostBytesNotice(path: string, areNeeded: () => boolean): string | undefined {
  const folder = `${path}.attachments`;
  if (isFilled(folder) || !areNeeded()) return undefined;
  const what = `Records have attachments, but none are in \`${folder}\``;
  return `${what}: mount its disk, or restore it. \`verify\` lists what is missing.`;
}

/** The folder beside the file of a store in which `restore` works. */
export const restoringFolder = (file: string): string => `${file}.restoring`;

/** Throws `StoreRefused` if a restore into the file was interrupted: a new, empty store would be unexpected there. */
export function refuseInterrupted(path: string): void {
  const left = restoringFolder(path);
  if (existsSync(path) || !existsSync(left)) return;
  throw new StoreRefused(`A restore of \`${path}\` was interrupted; run it again, or remove \`${left}\` to start over`);
}

/** Size in bytes; 0 also without a file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** True also for an unreadable folder. */
function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch (error) {
    return !isAbsent(error);
  }
}

import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { StoreRefused } from '../port/errors.ts';
import { isAbsent, ownerOnly } from './durable.ts';

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

/** Quotes a text as one word for a shell. */
export const shellWord = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Creates an empty database, if there is none, that only its owner can read: SQLite gives the files beside it the same
 * mode.
 */
export function makePrivate(path: string): void {
  try {
    // Never an existing one: closing it would release the locks that SQLite has on it in this process.
    closeSync(openSync(path, 'wx', ownerOnly.file));
  } catch {
    // It exists, or SQLite reports why it cannot be created.
  }
}

/**
 * The files of a store that other users can read, as a sentence with the command that restricts them; undefined if
 * there are none.
 */
export function exposureNotice(path: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const exposed = ['', '-wal', '-shm', '.lock', '.attachments', '.audit']
    .map(ending => `${path}${ending}`)
    .filter(file => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  if (exposed.length === 0) return undefined;
  const named = exposed.map(file => `\`${file}\``).join(', ');
  const command = `chmod -R go= ${exposed.map(shellWord).join(' ')}`;
  return `Other users of this machine can read files of the store: ${named}. \`${command}\` makes them private.`;
}

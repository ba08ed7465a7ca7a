import { closeSync, openSync, statSync } from 'node:fs';
import { ownerOnly } from './mode.ts';
import { shellWord } from '../shell-word.ts';

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

import { readdirSync, statSync } from 'node:fs';
import { StoreRefused } from '../errors.ts';
import { shellWord } from '../shell-word.ts';
import { isAbsent } from './attachment-files.ts';
import type { Database } from './open.ts';

/** What a store has left beside its file, by path: bytes of attachments, audit events, a write-ahead log. */
export function leftBehind(path: string): readonly string[] {
  const folders = ['.attachments', '.audit'].map(ending => `${path}${ending}`).filter(isFilled);
  return sizeOf(`${path}-wal`) > 0 ? [...folders, `${path}-wal`] : folders;
}

/**
 * Throws `StoreRefused` where there is no store, but what one has left: its file may come back, and a new one would not
 * know any of it. What was left is looked for first, since another process may be making the store.
 */
export function requireNothingLeft(path: string, left: readonly string[] = leftBehind(path)): void {
  if (left.length > 0 && sizeOf(path) === 0) throw refusal(path, left);
}

/** Why no store is made at this path. */
export function refusal(path: string, left: readonly string[]): StoreRefused {
  const named = left.map(one => `\`${one}\``).join(', ');
  return new StoreRefused(
    `There is no store at \`${path}\`, but what one has left is beside it: ${named}. ` +
      'Mount the disk of the store, or restore its file. For a new store name another file, ' +
      `or move away what is left: \`mv ${left.map(shellWord).join(' ')} ELSEWHERE\``,
  );
}

/**
 * That the bytes of attachments are away, as a sentence for operators; undefined where some are there, or none are
 * needed.
 */
export function lostBytesNotice(database: Database, path: string): string | undefined {
  const folder = `${path}.attachments`;
  if (isFilled(folder) || database.get('SELECT 1 FROM attachments LIMIT 1') === undefined) return undefined;
  const what = `Records have attachments, but none are in \`${folder}\``;
  return `${what}: mount its disk, or restore it. \`verify\` lists what is missing.`;
}

/** Bytes; 0 also where no file is. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Also what cannot be looked into. */
function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch (error) {
    return !isAbsent(error);
  }
}

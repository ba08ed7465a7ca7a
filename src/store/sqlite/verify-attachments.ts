import { setImmediate } from 'node:timers/promises';
import { overdue } from '../attachment-ages.ts';
import { allDigits, type BytesFile, type KeptBytes, type Measured } from '../upkeep/verify-attachments.ts';
import { attachmentsFolder, bytesPath, measureFile, trashFolder, trashPath } from '../files/attachments.ts';
import { ifThere } from '../files/durable.ts';
import { isOlder, isReferred, ownNames } from './attachment-sweep.ts';
import type { Database } from './open.ts';

/**
 * The attachments of a partition beside the file of a store. Those without a record are overdue when they are older
 * than `age`, in milliseconds.
 */
export function bytesOf(database: Database, file: string, n: number, age: number = overdue): KeptBytes {
  return {
    count: async () => allDigits.reduce((sum, digits) => sum + ownNames(attachmentsFolder(file, n, digits)).length, 0),
    async *references(digits) {
      const rows = database.all(
        'SELECT a.digest, a.size, types.type, a.id, a.version FROM attachments a JOIN types USING (t) ' +
          'WHERE a.n = ? AND a.digest >= ? AND a.digest < ?',
        [n, digits, `${digits}g`],
      );
      for (const [digest, size, type, id, version] of rows)
        yield { digest: String(digest), size: Number(size), record: `${type}/${id}/_history/${version}` };
    },
    isReferred: async digest => isReferred(database, n, digest),
    async *files(digits): AsyncIterable<BytesFile> {
      await setImmediate();
      const inTrash = ownNames(trashFolder(file, n, digits));
      const names = new Set(ownNames(attachmentsFolder(file, n, digits)));
      for (const digest of inTrash) if (!names.has(digest)) yield { digest, isTrash: true, isOverdue: false };
      for (const digest of names) yield { digest, isTrash: false, isOverdue: isOlder(bytesPath(file, n, digest), age) };
    },
    async measure(digest): Promise<Measured | undefined> {
      const [path, trash] = [bytesPath(file, n, digest), trashPath(file, n, digest)];
      // Tried again finally, since a sweep may restore them meanwhile.
      for (const place of [path, trash, path]) {
        const measured = await ifThere(() => measureFile(place));
        if (measured !== undefined) return { ...measured, isTrash: place === trash };
      }
      return undefined;
    },
  };
}

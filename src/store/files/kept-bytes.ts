import { setImmediate } from 'node:timers/promises';
import { overdue } from '../record/attachment-ages.ts';
import { allDigits, type BytesFile, type KeptBytes, type Measured } from '../upkeep/verify-attachments.ts';
import { attachmentsFolder, bytesPath, measureFile, placesOf, trashFolder, trashPath } from './attachments.ts';
import { ifThere } from './durable.ts';
import { isOlder, type KnownAttachments, ownNames } from './sweep.ts';

/**
 * The attachments of a partition beside the file of a store. Those without a record are overdue when they are older
 * than `age`, in milliseconds.
 */
export function bytesOf(known: KnownAttachments, file: string, n: number, age: number = overdue): KeptBytes {
  return {
    count: async () => allDigits.reduce((sum, digits) => sum + ownNames(attachmentsFolder(file, n, digits)).length, 0),
    async *references(digits) {
      yield* known.references(n, digits);
    },
    isReferred: async digest => known.isReferred(n, digest),
    async *files(digits): AsyncIterable<BytesFile> {
      await setImmediate();
      const inTrash = ownNames(trashFolder(file, n, digits));
      const names = new Set(ownNames(attachmentsFolder(file, n, digits)));
      for (const digest of inTrash) if (!names.has(digest)) yield { digest, isTrash: true, isOverdue: false };
      for (const digest of names) yield { digest, isTrash: false, isOverdue: isOlder(bytesPath(file, n, digest), age) };
    },
    async measure(digest): Promise<Measured | undefined> {
      const trash = trashPath(file, n, digest);
      for (const place of placesOf(file, n, digest)) {
        const measured = await ifThere(() => measureFile(place));
        if (measured !== undefined) return { ...measured, isTrash: place === trash };
      }
      return undefined;
    },
  };
}

import { createHash } from 'node:crypto';
import { type FileHandle, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ownerOnly } from '../store/file-mode.ts';
import type { KeptAttachment } from '../store/blobs.ts';
import type { Partition } from '../store/partitions.ts';
import type { CarryingRecord } from './attachments.ts';
import { fileEnding } from './file-ending.ts';
import { writeNewFile } from './new-file.ts';

/** What was written for one record. */
export interface Exported {
  readonly files: readonly string[];
  /** Bytes of its attachments. */
  readonly bytes: number;
  /** Whole sentences: bytes that are not there, or not what was kept. */
  readonly problems: readonly string[];
}

/**
 * Writes each record as `Type-id.json` and its bytes as `Type-id.jpg` (a second one as `Type-id-2.jpg`) into a folder, which
 * is made, for its owner alone. Never writes over a file: throws Error where there is one of that name.
 */
export async function* exportAttachments(
  partition: Partition,
  records: AsyncIterable<CarryingRecord>,
  folder: string,
): AsyncIterable<Exported> {
  await mkdir(folder, { recursive: true, mode: ownerOnly.folder });
  for await (const { record, attachments } of records) {
    const name = join(folder, `${record.type}-${record.id}`);
    const files = [`${name}.json`];
    await writeNewFile(files[0] ?? '', file => file.writeFile(`${record.text}\n`));
    const problems: string[] = [];
    let bytes = 0;
    for (const [at, attachment] of attachments.entries()) {
      const stream = await partition.attachment(attachment.digest);
      if (stream === undefined) {
        problems.push(`The bytes ${attachment.digest} of ${record.type}/${record.id} are not there.`);
        continue;
      }
      const path = `${name}${at === 0 ? '' : `-${at + 1}`}.${fileEnding(attachment.contentType)}`;
      files.push(path);
      bytes += attachment.size;
      const isRight = await writeNewFile(path, file => copy(stream, file, attachment));
      if (!isRight) problems.push(`\`${path}\` holds other bytes than were kept with ${record.type}/${record.id}.`);
    }
    yield { files, bytes, problems };
  }
}

/** Copies and tells whether the bytes are those that were kept. */
async function copy(stream: Readable, file: FileHandle, { digest, size }: KeptAttachment): Promise<boolean> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of stream) {
    const part = chunk as Buffer; // no encoding is set
    hash.update(part);
    length += part.length;
    await file.writeFile(part); // behind what is there
  }
  return length === size && hash.digest('hex') === digest;
}

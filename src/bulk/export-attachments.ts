import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder } from '../store/files/durable.ts';
import type { Attached } from '../store/port/blobs.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { CarryingRecord } from './attachments.ts';
import { writeNewFile } from './new-file.ts';

/** File extensions by media type; https://www.iana.org/assignments/media-types defines the types. */
const endings: Readonly<Record<string, string>> = {
  'application/dicom': 'dcm',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/xml': 'xml',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'text/html': 'html',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

/** The usual file extension of a media type, without the dot; `bin` if it is unknown. */
function fileEnding(contentType: string): string {
  const [type = ''] = contentType.split(';');
  return endings[type.trim().toLowerCase()] ?? 'bin';
}

/** The result for one record. */
export interface Exported {
  readonly files: readonly string[];
  /** Size of its attachments. */
  readonly bytes: number;
  /** Whole sentences: attachments that are missing, or differ from what was stored. */
  readonly problems: readonly string[];
}

/**
 * Writes each record as `Type-id.json` and its attachment as `Type-id.jpg` (a second one as `Type-id-2.jpg`) into a
 * folder, which is created for its owner only. Never overwrites a file: throws Error if it exists.
 */
export async function* exportAttachments(
  partition: Partition,
  records: AsyncIterable<CarryingRecord>,
  folder: string,
): AsyncIterable<Exported> {
  makeFolder(folder);
  for await (const { record, attachments } of records) {
    const name = join(folder, `${record.type}-${record.id}`);
    const files = [`${name}.json`];
    await writeNewFile(files[0] ?? '', file => file.writeFile(`${record.text}\n`));
    const problems: string[] = [];
    let bytes = 0;
    for (const [at, attachment] of attachments.entries()) {
      const stream = await partition.attachment(attachment.digest);
      if (stream === undefined) {
        problems.push(`The attachment ${attachment.digest} of ${record.type}/${record.id} does not exist.`);
        continue;
      }
      const path = `${name}${at === 0 ? '' : `-${at + 1}`}.${fileEnding(attachment.contentType)}`;
      files.push(path);
      bytes += attachment.size;
      const isRight = await writeNewFile(path, file => copy(stream, file, attachment));
      if (!isRight) problems.push(`\`${path}\` differs from the stored attachment of ${record.type}/${record.id}.`);
    }
    yield { files, bytes, problems };
  }
}

/** Copies, and returns whether the content is what was stored. */
async function copy(stream: Readable, file: FileHandle, { digest, size }: Attached): Promise<boolean> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of stream) {
    const part = chunk as Buffer; // no encoding is set
    hash.update(part);
    length += part.length;
    await file.writeFile(part); // appends
  }
  return length === size && hash.digest('hex') === digest;
}

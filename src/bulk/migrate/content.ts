import { createHash, type Hash } from 'node:crypto';
import { measure } from '../../store/digest.ts';
import type { KeptVersion } from '../../store/transfer.ts';
import type { Partition } from '../../store/partitions.ts';

/** The content of a store for a type, with a digest over all of it. */
export interface Content {
  /** Resources, including deleted ones. */
  readonly records: number;
  readonly versions: number;
  /** Distinct attachments, and their size. */
  readonly attachments: number;
  readonly bytes: number;
  /** SHA-256 in hex over all versions, exactly as stored, and over their attachments. */
  readonly digest: string;
}

/**
 * Reads everything of a type in a partition: every version with its text, number and time, and each attachment. Equal
 * content in two stores has the same digest. `read` is called for each record.
 */
export async function contentOf(partition: Partition, type: string, read: () => void): Promise<Content> {
  const hash = createHash('sha256');
  const bytes = new Map<string, StoredAttachment>();
  let [records, versions, last] = [0, 0, ''];
  for await (const version of partition.versions(type)) {
    versions += 1;
    if (version.id !== last) {
      records += 1;
      last = version.id;
      read();
    }
    for (const { digest } of version.attachments)
      if (!bytes.has(digest)) bytes.set(digest, await bytesOf(partition, digest));
    addVersion(hash, version, bytes);
  }
  const size = [...bytes.values()].reduce((sum, found) => sum + found.size, 0);
  return { records, versions, attachments: bytes.size, bytes: size, digest: hash.digest('hex') };
}

/** An attachment as it is, whatever its record says. */
interface StoredAttachment {
  readonly digest: string;
  readonly size: number;
}

async function bytesOf(partition: Partition, digest: string): Promise<StoredAttachment> {
  const stream = await partition.attachment(digest);
  return stream === undefined ? { digest: 'missing', size: 0 } : measure(stream);
}

function addVersion(hash: Hash, version: KeptVersion, bytes: ReadonlyMap<string, StoredAttachment>): void {
  const { id, version: number, lastUpdated, text = null, attachments } = version;
  const carried = attachments.map(({ path, digest, size, contentType }) => [
    path,
    digest,
    size,
    contentType,
    bytes.get(digest)?.digest,
  ]);
  hash.update(`${JSON.stringify([id, number, lastUpdated, text, carried])}\n`);
}

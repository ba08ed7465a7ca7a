import { createHash, type Hash } from 'node:crypto';
import { measure } from '../../store/digest.ts';
import type { KeptVersion } from '../../store/transfer.ts';
import type { Partition } from '../../store/partitions.ts';

/** What a store keeps of a type, with a digest over all of it. */
export interface Content {
  /** Resources, those that were deleted too. */
  readonly records: number;
  readonly versions: number;
  /** Different ones, and their bytes. */
  readonly attachments: number;
  readonly bytes: number;
  /** SHA-256 in hex over all versions, exactly as they are, and over the bytes that they carry. */
  readonly digest: string;
}

/**
 * Reads everything that a partition keeps of a type: every version with its text, number and time, and the bytes of each
 * attachment. The same in two stores gives the same digest. `read` hears of each record.
 */
export async function contentOf(partition: Partition, type: string, read: () => void): Promise<Content> {
  const hash = createHash('sha256');
  const bytes = new Map<string, Found>();
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

/** Bytes as they are, whatever they should be. */
interface Found {
  readonly digest: string;
  readonly size: number;
}

async function bytesOf(partition: Partition, digest: string): Promise<Found> {
  const stream = await partition.attachment(digest);
  return stream === undefined ? { digest: 'missing', size: 0 } : measure(stream);
}

function addVersion(hash: Hash, version: KeptVersion, bytes: ReadonlyMap<string, Found>): void {
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

import { createHash, type Hash } from 'node:crypto';
import { measure } from '../../store/record/digest.ts';
import type { KeptVersion } from '../../store/port/transfer.ts';
import type { Partition } from '../../store/port/partitions.ts';

/** The content of a store for a type, with a digest over all of it. */
export interface StoreContent {
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
 * Reads everything that a partition keeps of its records, by type: every version with its text, number and time, and
 * the bytes of each attachment. The same in two stores gives the same digests. `read` is called for each record.
 */
export async function contentsOf(
  partition: Partition,
  read: (type: string) => void,
): Promise<ReadonlyMap<string, StoreContent>> {
  const contents = new Map<string, StoreContent>();
  let current: { readonly type: string; readonly content: ContentReader } | undefined;
  for await (const version of partition.export()) {
    const { type } = version;
    if (current?.type !== type) {
      if (current !== undefined) contents.set(current.type, current.content.end());
      current = { type, content: new ContentReader() };
    }
    if (await current.content.add(partition, version)) read(type);
  }
  if (current !== undefined) contents.set(current.type, current.content.end());
  return contents;
}

/** The content of a type without records in a store. */
export const noContent = (): StoreContent => new ContentReader().end();

/** The content of one type while its versions are read. */
class ContentReader {
  readonly #hash = createHash('sha256');
  readonly #bytes = new Map<string, StoredAttachment>();
  #records = 0;
  #versions = 0;
  #last = '';

  /** Returns whether it is the first version of a record. */
  async add(partition: Partition, version: KeptVersion): Promise<boolean> {
    const isNew = version.id !== this.#last;
    this.#versions += 1;
    if (isNew) this.#records += 1;
    this.#last = version.id;
    for (const { digest } of version.attachments)
      if (!this.#bytes.has(digest)) this.#bytes.set(digest, await bytesOf(partition, digest));
    addVersion(this.#hash, version, this.#bytes);
    return isNew;
  }

  end(): StoreContent {
    const bytes = [...this.#bytes.values()].reduce((sum, { size }) => sum + size, 0);
    const [records, versions, attachments] = [this.#records, this.#versions, this.#bytes.size];
    return { records, versions, attachments, bytes, digest: this.#hash.digest('hex') };
  }
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

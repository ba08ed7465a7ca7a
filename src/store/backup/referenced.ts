import type { KeptBytes } from '../upkeep/verify-attachments.ts';

/** The attachments that the records of a copied database reference: those of removed partitions are not copied. */
export interface Referenced {
  /** Their number and their total size. */
  readonly files: number;
  readonly size: number;
  /** The number of each partition, by id. */
  readonly partitions: ReadonlyMap<string, number>;
  /** Each once. */
  readonly slices: () => Iterable<readonly Bytes[]>;
  /** Those of a partition in the copy: no record will follow for one without any. */
  readonly bytes: (n: number) => KeptBytes;
}

/** An attachment of a partition by number. */
export interface Bytes {
  readonly n: number;
  readonly digest: string;
  readonly size: number;
}

import type { Access } from '../auth/access.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { PartitionIdentity } from '../store/port/partitions.ts';
import type { StoredVersion } from '../store/port/records.ts';

/** The properties of a request that its event needs. */
export interface AuditedRequest {
  readonly requestId: string;
  /**
   * Identifies the request among its events, since clients may give many requests the same id; unique in this process;
   * undefined if nothing is written.
   */
  readonly requestKey?: number | undefined;
  /** The address of the client; empty if it is unknown. */
  readonly address: string;
  readonly access: Access;
  readonly partition: PartitionIdentity;
  readonly method: string;
  /** Undefined if the request matches no supported interaction. */
  readonly interaction?: InteractionCode | undefined;
  readonly resourceType?: string | undefined;
  readonly id?: string | undefined;
  /** Type and parameters, as in a URL; undefined without parameters. */
  readonly query?: string | undefined;
}

/** The answer to a request. */
export interface AuditedAnswer {
  readonly status: number;
  /** The records that the answer contains. */
  readonly records: readonly StoredVersion[];
  /** The id of the job that the request started, or was for. */
  readonly job?: string | undefined;
  /** The ids of the patients whose records it contains, besides those of `records`. */
  readonly patients?: readonly string[] | undefined;
}

/** A record that is about to be written. */
export interface BegunWrite {
  readonly type: string;
  readonly id: string;
  readonly text: string;
  /** The owners, if they are known. */
  readonly owners?: readonly string[] | undefined;
  /** Digest of the idempotency key. */
  readonly key: string | undefined;
}

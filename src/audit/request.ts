import type { Access } from '../auth/access.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { PartitionIdentity } from '../store/partitions.ts';
import type { StoredVersion } from '../store/records.ts';

/** Of a request what an event tells. */
export interface AuditedRequest {
  readonly requestId: string;
  /** What all that is told of one request has in common, since clients may give many the same id; undefined where nothing is written. */
  readonly origin?: object | undefined;
  /** The address of the client; empty where it is not known. */
  readonly address: string;
  readonly access: Access;
  readonly partition: PartitionIdentity;
  readonly method: string;
  /** Undefined where the request asks for nothing that is offered. */
  readonly interaction?: InteractionCode;
  readonly resourceType?: string;
  readonly id?: string;
  /** Type and parameters, as in a URL; undefined without parameters. */
  readonly query?: string | undefined;
}

/** How a request was answered. */
export interface AuditedAnswer {
  readonly status: number;
  /** The records that the answer shows. */
  readonly records: readonly StoredVersion[];
}

/** A record that is about to be written. */
export interface BegunWrite {
  readonly type: string;
  readonly id: string;
  readonly text: string;
  /** Digest of the key that makes the write repeatable. */
  readonly key: string | undefined;
}

import type { Audit } from '../audit/audit.ts';
import type { Access } from '../auth/access.ts';
import type { Offered } from '../smart/offered.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { Model } from '../model/model.ts';
import type { QueryPair } from '../search/request.ts';
import type { Cursors } from '../search/cursor.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Partition, PartitionIdentity } from '../store/partitions.ts';
import type { Store } from '../store/store.ts';
import type { StoredVersion } from '../store/records.ts';
import type { Validator } from '../validation/profile/validator.ts';
import type { Handling } from './prefer.ts';

/** A request as a value, without open connections or stores: what HTTP and, later, each entry of a Bundle become. */
export interface FhirRequest {
  readonly interaction: InteractionCode;
  /** The id by which answer, log and audit name the request. */
  readonly requestId: string;
  /** Identifies the request in the audit, since clients may give many requests the same id; unique in this process. */
  readonly requestKey?: number | undefined;
  /** The address of the client; empty where it is not known. */
  readonly address: string;
  /** Who asks. */
  readonly access: Access;
  readonly method: string;
  readonly partition: PartitionIdentity;
  /** `{publicUrl}/r4/{partition}`, no trailing slash. */
  readonly base: string;
  readonly resourceType?: string;
  readonly id?: string;
  readonly version?: string;
  /** The code of the operation that is asked for. */
  readonly operation?: string;
  /** Query and form parameters, decoded, in order; `_format` and `_pretty` are not among them. */
  readonly parameters: readonly QueryPair[];
  readonly headers: RequestHeaders;
  /** The body of a write; whoever runs it may overwrite it. */
  readonly body?: Buffer;
}

/** The request headers that interactions heed. */
export type RequestHeaders = Readonly<
  Partial<Record<'prefer' | 'if-none-match' | 'if-modified-since' | 'if-none-exist' | 'idempotency-key', string>>
>;

/** A response as a value. */
export interface FhirResponse {
  readonly status: number;
  /** JSON text; undefined for none. */
  readonly body?: string;
  readonly etag?: string;
  /** Milliseconds since 1970 UTC. */
  readonly lastModified?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The records that the answer shows, for the audit. */
  readonly records?: readonly StoredVersion[];
}

/** What interactions work with. */
export interface Engine {
  readonly model: Model;
  readonly store: Store;
  /** Accounts for what requests do. */
  readonly audit: Audit;
  /** True where requests need a token. */
  readonly secured: boolean;
  /** What the authorization server here offers; undefined without one. */
  readonly offered?: Offered | undefined;
  readonly extract: Extract;
  /** Made when it is first asked for. */
  readonly validator: () => Promise<Validator>;
  readonly cursors: Cursors;
  readonly now: () => number;
  /** What is done with unknown and empty parameters where the client does not say. */
  readonly handling: Handling;
  /** Longest URL that a link may have, in bytes. */
  readonly maxUrl: number;
  /** Largest resource beside its attachments, in bytes. */
  readonly maxBody: number;
  /** A new logical id, which nobody can guess. */
  readonly newId: () => string;
  /** Reports what fails in a part of a request that is answered all the same, with the id of the request. */
  readonly fault: (error: unknown, requestId: string) => void;
  /** When the server started, in milliseconds since 1970 UTC. */
  readonly started: number;
}

/** Answers a request; `partition` is the one that the request names, opened. */
export type Interaction = (engine: Engine, request: FhirRequest, partition: Partition) => Promise<FhirResponse>;

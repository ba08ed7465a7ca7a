import type { Audit } from '../audit/audit.ts';
import type { AnswerRoom } from './answer-room.ts';
import type { Access } from '../auth/access.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { Offered } from '../auth/offered.ts';
import type { FhirError } from '../fhir/error.ts';
import type { ParsedJson } from '../fhir/json.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { PatchFormat } from '../fhir/media-type.ts';
import type { JobFolder } from '../jobs/folder.ts';
import type { JobFile, JobRecord } from '../jobs/job.ts';
import type { JobRecords } from '../jobs/records.ts';
import type { Model } from '../model/model.ts';
import type { QueryPair } from '../search/request.ts';
import type { Cursors } from '../search/cursor.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { Store } from '../store/port/store.ts';
import type { StoredVersion } from '../store/port/records.ts';
import type { Expander } from '../terminology/expander.ts';
import type { TerminologyOperations } from '../terminology/forward.ts';
import type { Validator } from '../validation/profile/validator.ts';
import type { Views } from '../views/views.ts';
import type { WriteContext } from './write/context.ts';

/** A declared interaction, with what its path names (routes.ts). */
export interface Route {
  readonly interaction: InteractionCode;
  readonly resourceType?: string | undefined;
  readonly id?: string | undefined;
  /** The compartment that is searched. */
  readonly compartment?: CompartmentOf | undefined;
  readonly version?: string | undefined;
  /** The code of the operation, without `$`. */
  readonly operation?: string | undefined;
  /** The job, and its file, that is asked for. */
  readonly job?: string | undefined;
  readonly file?: string | undefined;
}

/**
 * A request as a value, without an open connection: made from HTTP, from a page and from an entry of a Bundle, and
 * given to dispatch.
 */
export interface SentRequest extends Route {
  /** The request id of answer, log and audit. */
  readonly requestId: string;
  /** Identifies the request in the audit, since clients may give many requests the same id; unique in this process. */
  readonly requestKey?: number | undefined;
  /** The address of the client; empty if it is unknown. */
  readonly address: string;
  /** The rights of the caller. */
  readonly access: Access;
  readonly method: string;
  /** Opened for this request. */
  readonly partition: Partition;
  /** `{publicUrl}/r4/{partition}`, no trailing slash. */
  readonly base: string;
  /** Query and form parameters, decoded, in order, without `_format` and `_pretty`. */
  readonly parameters: readonly QueryPair[];
  readonly headers: RequestHeaders;
  /** The body of a write; the interaction may overwrite it. */
  readonly body?: Buffer | undefined;
  /** Why an entry of a Bundle has no valid body; thrown when the interaction reads it. */
  readonly bodyFailure?: FhirError | undefined;
  /** The parsed body without its attachments, if the caller has it. */
  readonly parsed?: ParsedText | undefined;
  /** The format of the body of a patch. */
  readonly contentType?: PatchFormat | undefined;
  /** The room for the answer; undefined where it is not limited. */
  readonly room?: AnswerRoom | undefined;
  /** What its writes do differently, as an entry of a transaction; undefined for a separate request. */
  readonly writing?: WriteContext | undefined;
}

/** A request that dispatch has decided about, for its interaction. */
export interface FhirRequest extends SentRequest {
  /** The handling of unknown and empty parameters that the client prefers, or that of the settings. */
  readonly handling: Handling;
}

/**
 * The handling of unknown and empty parameters: `usual` refuses them, except those of no standard (`isForeign`).
 * https://hl7.org/fhir/R4/search.html#errors
 */
export type Handling = 'strict' | 'usual' | 'lenient';

/** The rest of a request, which is received once it is allowed. */
export interface ReceivedParts extends Pick<SentRequest, 'parameters' | 'body' | 'contentType'> {
  /** The interaction that a Bundle asks for by its type. */
  readonly bundle?: 'batch' | 'transaction';
}

/** A compact text, and its parsed value. */
export interface ParsedText {
  readonly text: string;
  readonly parsed: ParsedJson;
}

/** The compartment of a record. https://hl7.org/fhir/R4/compartmentdefinition.html */
export interface CompartmentOf {
  readonly type: string;
  readonly id: string;
}

/** The request headers that interactions use. */
export type RequestHeaders = Readonly<
  Partial<
    Record<
      | 'accept'
      | 'prefer'
      | 'if-match'
      | 'if-none-match'
      | 'if-modified-since'
      | 'if-unmodified-since'
      | 'if-none-exist'
      | 'idempotency-key'
      | 'accept-language',
      string
    >
  >
>;

/** A response as a value. */
export interface FhirResponse {
  readonly status: number;
  /** JSON text; undefined for none. */
  readonly body?: string;
  /** The content of a Binary in its own media type, instead of a body (http/body/binary.ts). */
  readonly bytes?: Buffer;
  readonly etag?: string;
  /** Milliseconds since 1970 UTC. */
  readonly lastModified?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file, instead of a body (http/answer/file.ts). */
  readonly file?: FileAnswer;
  /** An answer that is made while it is sent, instead of a body (http/answer/file.ts). */
  readonly stream?: StreamAnswer;
  /** The records in the answer, for the audit; the job that was started, and the patients of a file. */
  readonly records?: readonly StoredVersion[];
  readonly job?: string;
  readonly patients?: readonly string[];
}

/** A complete file that never changes. */
export interface FileAnswer {
  readonly path: string;
  readonly contentType: string;
  /** Identifies its content; without quotes. */
  readonly tag: string;
}

/** An answer in parts; an error after the first ends the connection, so that no client takes a part for the whole. */
export interface StreamAnswer {
  readonly contentType: string;
  readonly parts: AsyncIterable<string | Uint8Array>;
}

/** Charges a request to its client. Throws FhirError 429 if the client has used up its tokens (client-limit.ts). */
export type ChargeClient = (request: SentRequest) => void;

/** The dependencies of interactions. */
export interface Engine {
  /** The engine of the definitions of an opened partition: this one, unless records of it are definitions. */
  readonly in: (partition: Pick<Partition, 'definitions'>) => Engine;
  readonly model: Model;
  readonly store: Store;
  /** Audits requests. */
  readonly audit: Audit;
  /** True if requests need a token. */
  readonly secured: boolean;
  /** The features of the authorization server; undefined without one. */
  readonly offered?: Offered | undefined;
  readonly extract: Extract;
  /** The loaded definitions. */
  readonly definitions: Definitions;
  /** The views of these definitions. */
  readonly views: Views;
  /** Calls operations of a terminology server; undefined without one. */
  readonly terminologyOperations?: TerminologyOperations | undefined;
  /** Expands sets of codes on a terminology server; undefined without one. */
  readonly expander?: Expander | undefined;
  /** Operations whose code is not in this folder, by code. */
  readonly operations: ReadonlyMap<string, Interaction>;
  /** The jobs that operations start; undefined if this server works on none. */
  readonly jobs?: Jobs | undefined;
  /** Created at its first use. */
  readonly validator: () => Promise<Validator>;
  readonly cursors: Cursors;
  /** Undefined: clients have no rate limit. */
  readonly chargeClient?: ChargeClient | undefined;
  readonly now: () => number;
  /** The handling of unknown and empty parameters if the client does not choose. */
  readonly handling: 'strict' | 'lenient';
  /** Time limit of one search, in milliseconds. */
  readonly searchDeadline: number;
  /** Maximum length of a link, in bytes. */
  readonly maxUrl: number;
  /** Maximum size of a resource without its attachments, in bytes. */
  readonly maxBody: number;
  /** Maximum number of entries of a batch or transaction. */
  readonly maxBundleEntries: number;
  /** A new random logical id. */
  readonly newId: () => string;
  /** Reports an error in a part of a request that is answered nevertheless, with the request id. */
  readonly fault: (error: unknown, requestId: string) => void;
  /** When the definitions came into use, in milliseconds since 1970 UTC. */
  readonly since: number;
}

/** The jobs of a server, for the operations that start them and the requests that ask for them. */
export interface Jobs {
  readonly records: JobRecords;
  readonly folder: JobFolder;
  /** The most unfinished jobs of one client. */
  readonly mostOfClient: number;
  /** How a job is answered, by its kind. */
  readonly answers: ReadonlyMap<string, JobAnswers>;
  /** Makes a worker of this process look for jobs. */
  wake(): void;
}

/** How the jobs of a kind are answered. */
export interface JobAnswers {
  /** The file to which the state of a job leads once it has ended, well or not; undefined: the state has the result. */
  readonly result?: string;
  /**
   * Throws FhirError 403 if the caller, who is of the client of the job, may not have what it made, or this file of it.
   */
  requireAccess(
    engine: Engine,
    request: Pick<FhirRequest, 'access' | 'base' | 'partition'>,
    job: JobRecord,
    file?: JobFile,
  ): void;
  /** The answer to a poll of a job that is done. */
  done(engine: Engine, request: FhirRequest, job: JobRecord): FhirResponse;
  /** The media type of a file, and the ids of patients whose records are in it, for the audit. */
  describe(file: JobFile): { readonly contentType: string; readonly patients?: readonly string[] };
}

/** Answers a request; `partition` is the opened partition of the request. */
export type Interaction = (engine: Engine, request: FhirRequest, partition: Partition) => Promise<FhirResponse>;

/**
 * Answers a request, whatever its interaction (dispatch.ts). `receive` gives the rest of a request whose body or form
 * is not read yet.
 */
export type Dispatch = (
  engine: Engine,
  request: SentRequest,
  receive?: (handling: Handling) => Promise<ReceivedParts>,
) => Promise<FhirResponse>;

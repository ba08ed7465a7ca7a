import type { AuditedRequest, BegunWrite } from '../../audit/request.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import type { Extract } from '../../indexing/extract.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import type { Content } from '../../attachment/content.ts';
import type { Change, WriteResult } from '../../store/port/records.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { Occasion } from '../../validation/policy.ts';
import type { ValidationIssue, Weigh } from '../../validation/profile/findings.ts';
import type { Validator } from '../../validation/profile/validator.ts';

/**
 * What the writes of one kind of caller do differently, as data: those of a separate request, of the entries of a
 * transaction, and of a load. The steps of a write are the same for all of them.
 */
export interface WriteContext {
  /** Decides the severity of findings where the definitions do not. */
  readonly occasion: Occasion;
  /** The findings of the definitions about a resource, with the severities of `weigh`. */
  readonly validate: (
    type: ResourceType,
    parsed: ParsedJson,
    weigh: Weigh,
  ) => readonly ValidationIssue[] | Promise<readonly ValidationIssue[]>;
  /** The id of a record that is created without one. */
  readonly newId: () => string;
  /** Announces a change before it is written: the event of the audit is durable when it resolves. */
  readonly begin: (request: AuditedRequest, write: BegunWrite) => Promise<void>;
  readonly committed?: AfterCommit | undefined;
  /**
   * Delays a check that depends on records of other entries until all of them are written. Absent where a request
   * writes alone.
   */
  readonly atEnd?: ((check: () => Promise<void>) => void) | undefined;
  /**
   * What a patch makes of a version (`before`), with its links to the records of other entries, and with the
   * conditional references resolved that the version before does not have. Throws FhirError 422 if one leads nowhere.
   * Absent where a request writes alone.
   */
  readonly linked?: ((text: string, before: string) => Promise<string>) | undefined;
}

/** A change with its attachments. */
export interface CarryingChange {
  readonly change: Change;
  /** Empty: a new version keeps the attachments of the one before. */
  readonly contents: readonly Content[];
}

/** A change that was committed, and its result: also one that made no difference. */
export interface CommittedChange extends CarryingChange {
  readonly result: WriteResult;
}

/** Called with the changes that were committed, before anything is answered. */
export type AfterCommit = (changes: readonly CommittedChange[]) => void;

/** The part of a context that the checks of a record need. */
export type RecordChecks = Pick<WriteContext, 'occasion' | 'validate'>;

/** The dependencies of loading. */
export interface LoadContext {
  readonly model: Model;
  readonly definitions: Definitions;
  readonly partition: Partition;
  readonly extract: Extract;
  readonly validator: Pick<Validator, 'validate'>;
  /** `{publicUrl}/r4/{partition}`: absolute URLs below it are in this partition. */
  readonly base: string;
  /** The handling of resources of undeclared types. */
  readonly undeclared: 'skip' | 'reject';
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

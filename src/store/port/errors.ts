import { longestRecord, type WriteResult } from './records.ts';

/** A promise of the port that a store does not keep, and the reason, as a sentence for operators. */
export interface Lack {
  /** Every commit of a partition has a later `lastUpdated` than the one before it. */
  readonly promise: 'commit-order';
  readonly why: string;
}

/** A precondition failed. */
export class VersionConflict extends Error {
  readonly type: string;
  readonly id: string;
  /** Results of the changes that are done nevertheless, by their index; only of a write one by one. */
  readonly done: ReadonlyMap<number, WriteResult>;
  constructor(type: string, id: string, done: VersionConflict['done'] = new Map()) {
    super(`${type}/${id} is not at the version that the change expects`);
    this.name = 'VersionConflict';
    this.type = type;
    this.id = id;
    this.done = done;
  }
}

/** A `no-match` found several: returned to clients as 412 `multiple-matches`. */
export class SeveralMatch extends Error {
  readonly type: string;
  constructor(type: string) {
    super(`Several ${type} match`);
    this.name = 'SeveralMatch';
    this.type = type;
  }
}

/** A requirement of a write does not hold (records.ts). */
export class RequirementFailed extends Error {
  readonly type: string;
  constructor(type: string) {
    super(`The write needs another state of ${type}`);
    this.name = 'RequirementFailed';
    this.type = type;
  }
}

/** The idempotency key of a write was used with another body. */
export class KeyUsed extends Error {
  constructor() {
    super('The key was used with another body');
    this.name = 'KeyUsed';
  }
}

/** A change references an attachment that does not exist (any more): put it again. */
export class AttachmentMissing extends Error {
  readonly digest: string;
  constructor(digest: string) {
    super(`The attachment ${digest} does not exist`);
    this.name = 'AttachmentMissing';
    this.digest = digest;
  }
}

/** The work was not bounded in advance and exceeded its deadline: returned to clients as 403 `too-costly`. */
export class DeadlinePassed extends Error {
  constructor(milliseconds: number) {
    super(`The statement was stopped after ${milliseconds} ms`);
    this.name = 'DeadlinePassed';
  }
}

/** No index has the requested order, and too many match for sorting: returned to clients as 403 `too-costly`. */
export class TooManyToSort extends Error {
  readonly most: number;
  constructor(most: number) {
    super(`More than ${most} match, in an order that no index has`);
    this.name = 'TooManyToSort';
    this.most = most;
  }
}

/** Other work took so long that this could not begin: returned to clients as 503 `throttled`. */
export class StoreBusy extends Error {
  constructor(milliseconds: number) {
    super(`The statement waited ${milliseconds} ms for its turn`);
    this.name = 'StoreBusy';
  }
}

/** A search needs an index that is not complete (see `IndexAdmin.status`): returned to clients as 503 `incomplete`. */
export class IndexPending extends Error {
  readonly type: string;
  readonly param: string;
  constructor(type: string, param: string) {
    super(`The index of ${type} \`${param}\` is not complete yet`);
    this.name = 'IndexPending';
    this.type = type;
    this.param = param;
  }
}

/** A record exceeds the size limit of a store: returned to clients as 413 `too-long`. */
export class RecordTooLarge extends Error {
  readonly type: string;
  readonly id: string;
  constructor(type: string, id: string) {
    super(`${type}/${id} exceeds the size limit of ${longestRecord} bytes per record`);
    this.name = 'RecordTooLarge';
    this.type = type;
    this.id = id;
  }
}

/**
 * Why a store fails: it is not available or cannot write (`no-store`), does not answer in time (`timeout`), is
 * interrupted for a moment (`transient`), or cannot read the data of this request (`exception`). Codes of
 * https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export type UnavailableReason = 'no-store' | 'timeout' | 'transient' | 'exception';

/**
 * The store fails, with the cause and the remedy as a message for operators. A write may or may not have been done.
 * Clients get 503 with the reason as issue code.
 */
export class StoreUnavailable extends Error {
  readonly reason: UnavailableReason;
  constructor(reason: UnavailableReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}

/** Another partition has this id with other settings. */
export class PartitionExists extends Error {
  constructor(id: string) {
    super(`The partition \`${id}\` exists with other settings`);
    this.name = 'PartitionExists';
  }
}

/** The store cannot be opened, with the remedy: a newer layout, a second server, other definitions. */
export class StoreRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreRefused';
  }
}

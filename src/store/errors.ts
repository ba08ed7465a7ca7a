import { longestRecord } from './records.ts';

/** A promise of the port that a store may lack, and why it lacks it here, as a sentence for operators. */
export interface Lack {
  /**
   * `several-at-once`: a write of several changes is all or none. `commit-order`: every commit of a partition has a
   * later `lastUpdated` than the one before it.
   */
  readonly promise: 'several-at-once' | 'commit-order';
  readonly why: string;
}

/** A precondition did not hold. */
export class VersionConflict extends Error {
  readonly type: string;
  readonly id: string;
  constructor(type: string, id: string) {
    super(`${type}/${id} is not at the version that the change expects`);
    this.name = 'VersionConflict';
    this.type = type;
    this.id = id;
  }
}

/** A `no-match` found more than one: told to clients as 412 `multiple-matches`. */
export class SeveralMatch extends Error {
  readonly type: string;
  constructor(type: string) {
    super(`Several ${type} match`);
    this.name = 'SeveralMatch';
    this.type = type;
  }
}

/** The key of a write was used with another body. */
export class KeyUsed extends Error {
  constructor() {
    super('The key was used with another body');
    this.name = 'KeyUsed';
  }
}

/** A change refers to bytes that are not kept (any more): put them again. */
export class AttachmentMissing extends Error {
  readonly digest: string;
  constructor(digest: string) {
    super(`The bytes ${digest} are not kept`);
    this.name = 'AttachmentMissing';
    this.digest = digest;
  }
}

/** The work was not bounded beforehand and ran past its deadline: told to clients as 403 `too-costly`. */
export class DeadlinePassed extends Error {
  constructor(milliseconds: number) {
    super(`The statement was stopped after ${milliseconds} ms`);
    this.name = 'DeadlinePassed';
  }
}

/**
 * No index has the order that is asked for, and more match than are sorted without one: told to clients as 403
 * `too-costly`.
 */
export class TooManyToSort extends Error {
  readonly most: number;
  constructor(most: number) {
    super(`More than ${most} match, in an order that no index has`);
    this.name = 'TooManyToSort';
    this.most = most;
  }
}

/** Others took so long that the work could not begin: told to clients as 503 `throttled`. */
export class StoreBusy extends Error {
  constructor(milliseconds: number) {
    super(`The statement waited ${milliseconds} ms for its turn`);
    this.name = 'StoreBusy';
  }
}

/** A search needs an index that is not complete (see `IndexAdmin.status`): told to clients as 503 `incomplete`. */
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

/** A record is longer than a store takes: told to clients as 413 `too-long`. */
export class RecordTooLarge extends Error {
  readonly type: string;
  readonly id: string;
  constructor(type: string, id: string) {
    super(`${type}/${id} is longer than the ${longestRecord} bytes that a record may have`);
    this.name = 'RecordTooLarge';
    this.type = type;
    this.id = id;
  }
}

/** The write needs a promise that the store lacks (see `Store.lacks`): told to clients as 501 `not-supported`. */
export class PromiseLacking extends Error {
  readonly lack: Lack;
  constructor(lack: Lack) {
    super(lack.why);
    this.name = 'PromiseLacking';
    this.lack = lack;
  }
}

/**
 * Why a store does not do what it is asked: it cannot be reached or cannot write (`no-store`), does not answer within
 * the time that is set (`timeout`), is hindered for a moment (`transient`), or cannot read what this request needs
 * (`exception`). Codes of https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export type UnavailableReason = 'no-store' | 'timeout' | 'transient' | 'exception';

/**
 * The store fails, with the cause and the way out as a message for operators. What was being written may have been done
 * or not. Clients get 503 with the reason as issue code.
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

/** The store cannot be opened, with what to do about it: a newer layout, a second server, other definitions. */
export class StoreRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreRefused';
  }
}

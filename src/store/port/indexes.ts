/**
 * The name, in place of a parameter, of the default order of a type without a sort date: the newest records first, by
 * the time of their creation, which no update changes.
 */
export const createdOrder = '_created';

export interface PendingIndex {
  readonly type: string;
  readonly param: string;
  readonly done: number;
  readonly of: number;
}

/** Which indexes `status` reports; undefined: all. */
export interface IndexScope {
  readonly partition?: string;
  readonly type?: string;
  /**
   * Only parameters that cannot be searched yet. Cheap while all are ready, so that each search can check them. Pairs
   * only make searches faster and are not included.
   */
  readonly state?: 'pending';
}

/** The indexes of a store. */
export interface IndexAdmin {
  /** Empty for a partition or a type that does not exist. */
  status(scope?: IndexScope): Promise<readonly IndexState[]>;
  /** Marks as pending and rebuilds (all, or one type, or one parameter), yielding progress until done. */
  rebuild(partition: string, type?: string, param?: string): AsyncIterable<PendingIndex>;
  /**
   * The database indexes that differ from the definitions; none for a store that manages them itself. `drop`: drops
   * those that the definitions no longer need. `sizes`: all of them instead, each with its size.
   */
  database(options?: { readonly drop?: boolean; readonly sizes?: boolean }): Promise<readonly DatabaseIndex[]>;
}

export interface DatabaseIndex {
  /** The collection or table. */
  readonly collection: string;
  readonly name: string;
  /** `missing` and `building`: searches that need it are slow until a server has built it. */
  readonly state: 'ready' | 'missing' | 'building' | 'unused';
  /** Its size in bytes, of all partitions; undefined if it was not requested, or took longer than a search may. */
  readonly bytes?: number | undefined;
}

export interface IndexState {
  readonly partition: string;
  readonly type: string;
  readonly param: string;
  readonly state: 'ready' | 'pending';
  readonly done: number;
  readonly of: number;
}

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
   * those that the definitions no longer need.
   */
  database(options?: { readonly drop?: boolean }): Promise<readonly DatabaseIndex[]>;
}

export interface DatabaseIndex {
  readonly collection: string;
  readonly name: string;
  /** `missing` and `building`: searches that need it are slow until a server has built it. */
  readonly state: 'missing' | 'building' | 'unused';
}

export interface IndexState {
  readonly partition: string;
  readonly type: string;
  readonly param: string;
  readonly state: 'ready' | 'pending';
  readonly done: number;
  readonly of: number;
}

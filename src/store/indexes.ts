export interface PendingIndex {
  readonly type: string;
  readonly param: string;
  readonly done: number;
  readonly of: number;
}

/** The indexes of a partition, for searches. */
export interface PartitionIndexes {
  /** The parameters of a type that cannot be searched yet, with the progress of their rebuild. */
  pending(type: string): Promise<readonly PendingIndex[]>;
}

/** The indexes of a store, for its operator. */
export interface IndexAdmin {
  status(): Promise<readonly IndexState[]>;
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

export interface PendingIndex {
  readonly type: string;
  readonly param: string;
  readonly done: number;
  readonly of: number;
}

/** The indexes of a partition, as searches need them. */
export interface PartitionIndexes {
  /** Which parameters of a type cannot be searched yet, with how far their rebuild is. */
  pending(type: string): Promise<readonly PendingIndex[]>;
}

/** The indexes of a store, as its operator sees them. */
export interface IndexAdmin {
  status(): Promise<readonly IndexState[]>;
  /** Marks as pending and rebuilds (all, or one type, or one parameter), yielding progress until done. */
  rebuild(partition: string, type?: string, param?: string): AsyncIterable<PendingIndex>;
  /**
   * The indexes of the database below that are not as the definitions want them; none for a store that makes its own.
   * `drop`: drops those that the definitions do not need any more.
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

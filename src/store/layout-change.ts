/** A change from one layout to the next, in words for the operator. */
export interface LayoutChange {
  /** The layout that it makes. */
  readonly layout: number;
  readonly change: string;
  /** The work that it causes; undefined if it takes no time. */
  readonly work?: LayoutWork;
}

export interface LayoutWork {
  readonly of: 'records' | 'versions';
  /** A cautious rate, of two busy cores; a quiet machine does several times as many. */
  readonly perSecond: number;
  /** `start`: before the server answers; `background`: while it answers. */
  readonly when: 'start' | 'background';
}

/** The layout of a store, and the changes that this program would make. */
export interface LayoutState {
  readonly found: number;
  /** The layout that this program reads and writes. */
  readonly newest: number;
  readonly changes: readonly LayoutChange[];
  /** An earlier upgrade was interrupted: the next start continues it before it answers. */
  readonly isInterrupted: boolean;
  readonly records: number;
  /** Older versions of records. */
  readonly versions: number;
}

/** The longest time of a change in seconds; 0 for one that takes no time. */
export function secondsOf({ work }: LayoutChange, counts: Pick<LayoutState, 'records' | 'versions'>): number {
  if (work === undefined) return 0;
  const all = work.of === 'records' ? counts.records : counts.records + counts.versions;
  return all / work.perSecond;
}

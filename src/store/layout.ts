import { StoreRefused } from './port/errors.ts';

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
  readonly records: number;
  /** Older versions of records. */
  readonly versions: number;
}

/**
 * Throws `StoreRefused` unless this program reads or upgrades a layout. `store` names the store in the message;
 * `oldest` is the first layout that a start upgrades.
 */
export function requireKnownLayout(
  store: string,
  found: number,
  { oldest, newest }: { readonly oldest: number; readonly newest: number },
): void {
  if (found > newest)
    throw new StoreRefused(
      `${store} was written by a newer version (layout ${found}; this one knows ${newest}); use that version`,
    );
  if (found < oldest)
    throw new StoreRefused(
      `${store} was written by an older version (layout ${found}; this one upgrades layouts from ${oldest} on); ` +
        'upgrade it with an earlier version first',
    );
}

/** The longest time of a change in seconds; 0 for one that takes no time. */
export function secondsOf({ work }: LayoutChange, counts: Pick<LayoutState, 'records' | 'versions'>): number {
  if (work === undefined) return 0;
  const all = work.of === 'records' ? counts.records : counts.records + counts.versions;
  return all / work.perSecond;
}

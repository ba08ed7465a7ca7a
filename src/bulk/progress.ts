import type { Issue } from '../fhir/outcome.ts';
import type { AfterCommit } from '../interaction/write/context.ts';

/** The progress of a load. */
export interface LoadProgress {
  /** The current file; `-` for stdin. */
  readonly file: string;
  /** Records of this run: resources and entries. */
  readonly records: number;
  /** Records at the beginning that an interrupted run has loaded, counted as lines and entries. */
  readonly resumed: number;
  /** Bytes read, compressed, and their total; undefined if unknown. */
  readonly bytes: number;
  readonly totalBytes: number | undefined;
  /** Records per second. */
  readonly rate: number;
  /** Undefined if the size is unknown, and at the very beginning. */
  readonly secondsLeft: number | undefined;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Records of undeclared types, by type. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Records with violations that reject nothing, and their number, by kind. */
  readonly warned: number;
  readonly warnings: ReadonlyMap<Warning, number>;
  /** Symbolic links in folders, which were not followed. */
  readonly links: readonly string[];
  /** Records, or whole transactions and files, in the file of rejects. */
  readonly rejected: number;
  /** True in the last value: everything that was not rejected is durable. */
  readonly done: boolean;
}

/** The counters of a load. */
export class Counts {
  file = '';
  records = 0;
  resumed = 0;
  bytes = 0;
  created = 0;
  updated = 0;
  removed = 0;
  unchanged = 0;
  rejected = 0;
  warned = 0;
  readonly warnings = new Map<Warning, number>();
  readonly skipped = new Map<string, number>();
  readonly #started: number;
  readonly #totalBytes: number | undefined;
  readonly #links: readonly string[];
  readonly #now: () => number;

  constructor(totalBytes: number | undefined, links: readonly string[], now: () => number) {
    this.#links = links;
    this.#totalBytes = totalBytes;
    this.#now = now;
    this.#started = now();
  }

  /** Counts the changes that were committed. */
  readonly committed: AfterCommit = changes => {
    for (const {
      result: { outcome },
    } of changes)
      this[outcome === 'matched' || outcome === 'repeated' ? 'unchanged' : outcome] += 1;
  };

  skip(type: string): void {
    this.skipped.set(type, (this.skipped.get(type) ?? 0) + 1);
  }

  /** Counts a record with its findings. */
  warn(issues: readonly Issue[]): void {
    if (issues.length === 0) return;
    this.warned++;
    for (const issue of issues) {
      const kind = warningOf(issue);
      this.warnings.set(kind, (this.warnings.get(kind) ?? 0) + 1);
    }
  }

  progress(done: boolean): LoadProgress {
    const { file, records, resumed, bytes, created, updated, removed, unchanged, rejected, warned } = this;
    const seconds = Math.max(0.001, (this.#now() - this.#started) / 1000);
    const totalBytes = this.#totalBytes;
    const known = totalBytes !== undefined && bytes > 0 && seconds > 0.5;
    const secondsLeft = known ? Math.max(0, ((totalBytes - bytes) / bytes) * seconds) : undefined;
    return {
      file,
      records,
      resumed,
      bytes,
      totalBytes,
      rate: records / seconds,
      secondsLeft: done ? 0 : secondsLeft,
      created,
      updated,
      removed,
      unchanged,
      skipped: new Map(this.skipped),
      warned,
      warnings: new Map(this.warnings),
      links: this.#links,
      rejected,
      done,
    };
  }
}

/** The kinds of warnings that are counted. */
type Warning = 'invariants' | 'bindings' | 'other rules';

function warningOf({ code }: Issue): Warning {
  if (code === 'invariant') return 'invariants';
  return code === 'code-invalid' ? 'bindings' : 'other rules';
}

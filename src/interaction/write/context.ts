import type { Model } from '../../model/model.ts';
import type { Extract } from '../../indexing/extract.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Validator } from '../../validation/profile/validator.ts';

/** The dependencies of loading. */
export interface LoadContext {
  readonly model: Model;
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

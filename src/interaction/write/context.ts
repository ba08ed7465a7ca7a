import type { Model } from '../../model/model.ts';
import type { Extract } from '../../indexing/extract.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Validator } from '../../validation/profile/validator.ts';

/** What loading works with. */
export interface LoadContext {
  readonly model: Model;
  readonly partition: Partition;
  readonly extract: Extract;
  readonly validator: Pick<Validator, 'validate'>;
  /** `{publicUrl}/r4/{partition}`: absolute URLs below it are our own. */
  readonly base: string;
  /** What becomes of resources whose types are not declared. */
  readonly undeclared: 'skip' | 'reject';
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

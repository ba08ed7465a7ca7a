import type { Extract } from '../../indexing/extract.ts';
import type { Model } from '../../model/model.ts';
import type { RecordKey, VersionWithText } from './records.ts';

/** The definitions that a store follows: what it indexes, and how it finds the entries. */
export interface StoreDefinitions {
  readonly model: Pick<Model, 'digest' | 'types' | 'systemInteractions'>;
  readonly extract: Extract;
  /**
   * Makes the definitions of a partition with definitions of its own, which its records are: they apply above these.
   * Returns the same object until `place.changes` is another one. Undefined: records never apply as definitions.
   */
  readonly above?: ((place: DefiningPartition) => Promise<StoreDefinitions>) | undefined;
}

/** A partition in which records are definitions, as the definitions below them read it. */
export interface DefiningPartition {
  readonly id: string;
  /** How many changes of definitions have been committed; this number alone identifies those that apply. */
  readonly changes: number;
  /** The current versions of those of these records that exist. */
  read(keys: readonly RecordKey[]): Promise<readonly VersionWithText[]>;
  /** Some records of a declared type in the order of their ids, after an id; none at the end. */
  page(type: string, after: string): Promise<readonly VersionWithText[]>;
  /** The last ones of these changes, the latest at the end. */
  lastChanges(): Promise<readonly RecordKey[]>;
}

import type { SearchParam } from '../../model/model.ts';
import type { Known, Records } from '../records.ts';

/** What cases are derived from. */
export interface CaseSource {
  readonly param: SearchParam;
  readonly sample: readonly Known[];
  readonly records: Records;
  readonly base: string;
  /** Most values. */
  readonly depth: number;
}

/**
 * A value that no record is likely to have, or a truth, for which a server may reject other values; undefined where
 * every text could be a value of the server's own.
 */
export function absentOf({
  type,
  dataTypes,
}: Pick<SearchParam, 'type'> & Partial<Pick<SearchParam, 'dataTypes'>>): string | undefined {
  if (type === 'token' && dataTypes?.has('boolean') === true) return 'true';
  switch (type) {
    case 'string':
    case 'token':
      return 'qzxj-no-such-value';
    case 'reference':
      return 'qzxj-no-such-id';
    case 'uri':
      return 'http://example.org/qzxj-no-such-uri';
    case 'date':
      return '1583-02-03';
    case 'number':
    case 'quantity':
      return '987654321.125';
    case 'composite':
    case 'special':
      return undefined;
    default:
      return type satisfies never;
  }
}

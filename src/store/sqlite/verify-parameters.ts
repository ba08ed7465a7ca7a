import type { StoreFinding } from '../port/transfer.ts';
import type { Core } from './core.ts';
import { registered } from './register-job.ts';
import { definitionsDigest, wantedIndexes } from './wanted.ts';

/**
 * The indexes of a partition whose description in the file differs from the definitions. Empty if other definitions
 * were registered last. Throws if it cannot be read.
 */
export function parameterFindings({ database, options }: Core, partition: string): readonly StoreFinding[] {
  if (registered(database) !== definitionsDigest(options.model)) return [];
  const [n = null, settings] = database.get('SELECT n, settings FROM partitions WHERE id = ?', [partition]) ?? [];
  if (n === null) return [];
  const { zone } = JSON.parse(String(settings)) as { zone: string };
  return wantedIndexes(options.model, zone).flatMap(({ type, indexes }) => {
    const rows = database.all(
      `SELECT code, digest FROM parameters WHERE t = (SELECT t FROM types WHERE n = ? AND type = ?) ` +
        `AND state <> 'dropped'`,
      [n, type],
    );
    const kept = new Map(rows.map(([code, digest]) => [code, digest]));
    return indexes
      .filter(({ code, digest }) => kept.get(code) !== digest)
      .map(({ code }): StoreFinding => {
        const why = 'the description of its index in the file differs from the definitions';
        return { is: 'index', partition, what: `${type}?${code}`, why };
      });
  });
}

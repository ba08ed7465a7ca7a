import type { Database } from './open.ts';

/**
 * When a record was created, in milliseconds since 1970 UTC: `last_updated` of its first version after its last
 * tombstone, by its older versions. `lastUpdated` is that of its current version, which is no tombstone.
 */
export function createdOf(
  database: Database,
  { t, id, version, lastUpdated }: { t: number; id: string; version: number; lastUpdated: number },
): number {
  if (version === 1) return lastUpdated;
  const [first = lastUpdated] =
    database.get(
      'SELECT last_updated FROM versions WHERE t = ?1 AND id = ?2 AND version > (SELECT coalesce(max(version), 0) ' +
        'FROM versions WHERE t = ?1 AND id = ?2 AND text IS NULL) ORDER BY version LIMIT 1',
      [t, id],
    ) ?? [];
  return Number(first);
}

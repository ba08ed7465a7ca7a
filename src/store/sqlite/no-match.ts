import type { NoMatch } from './jobs.ts';
import type { Query } from '../../search/ast.ts';
import { check, sourcesOf } from './clause-sql.ts';
import { above } from '../keys/interval.ts';
import type { Clause } from './clause.ts';
import type { Core } from './core.ts';
import type { PartitionIndex, TypeIndex } from './dictionary.ts';
import { countUses } from './count-uses.ts';
import { find } from './find.ts';
import { referenceTermsOf } from './find-terms.ts';
import { type FindTerms, lower } from './lower.ts';
import type { Database } from './open.ts';
import { lowerSort } from './order.ts';
import { candidates } from './source.ts';
import { sql } from './sql.ts';

/** Searches a query before its write. Throws the errors of a search. */
export async function askNoMatch(core: Core, { n }: PartitionIndex, index: TypeIndex, query: Query): Promise<NoMatch> {
  const { database } = core;
  const [since] = database.get('SELECT last_updated FROM partitions WHERE n = ?', [n]) ?? [0];
  const terms: NoMatch['terms'][number][] = [];
  const findTerms: FindTerms = (p, prefix) => {
    const values = referenceTermsOf(database)(p, prefix);
    terms.push({ p, prefix, values });
    return values;
  };
  const clause = lower(query, index, findTerms);
  const keys = lowerSort([{ by: 'id', descending: false }], index);
  countUses(core, index, clause, []);
  const rows = await find(core, { t: index.t, clause, keys, limit: 1, after: undefined });
  return { is: 'no-match', clause, since: Number(since), found: rows.map(({ id }) => id), terms };
}

/** Ids that match now, two if there are more. Undefined if the earlier search is no longer sufficient. */
export function matchesNow(database: Database, t: number, asked: NoMatch): readonly string[] | undefined {
  for (const { p, prefix, values } of asked.terms)
    if (referenceTermsOf(database)(p, prefix).join('\n') !== values.join('\n')) return undefined;
  const changed: Clause = { kind: 'updated', at: above(asked.since, true) };
  const rows = [{ kind: 'ids', ids: asked.found } as const, changed]
    .flatMap(clause => sourcesOf(clause, t))
    .flatMap(source =>
      database.query(sql`SELECT c.id FROM ${candidates(source)} c WHERE ${check(asked.clause)} LIMIT 2`),
    );
  const ids = [...new Set(rows.map(([id]) => String(id)))].slice(0, 2);
  return asked.found.length > 1 && ids.length < 2 ? undefined : ids;
}

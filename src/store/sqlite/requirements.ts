import { setImmediate } from 'node:timers/promises';
import type { Query } from '../../search/ast.ts';
import { above } from '../keys/interval.ts';
import { idTerm, urlTerm } from '../keys/terms.ts';
import { paramsReferringTo, readyIndexes } from '../plan/indexes.ts';
import type { RecordKey, Referred } from '../port/records.ts';
import { countUses } from '../server/index-usage.ts';
import { check, sourcesOf } from './clause-sql.ts';
import type { Core } from './core.ts';
import { find } from './find.ts';
import type { PartitionIndex, TypeIndex } from './dictionary.ts';
import type { NoMatch, Unreferred } from './jobs.ts';
import { lower, referenceTermsOf } from './lower.ts';
import type { Clause, FindTerms } from './lower.ts';
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
  countUses(core.options.used, index, [clause]);
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

/** The terms of references to some records, in the indexes that may have them. Throws `IndexPending`. */
export function askReferring(
  core: Core,
  { types }: PartitionIndex,
  { type, ids, base }: Referred,
  except: readonly RecordKey[] = [],
): Unreferred {
  const indexes: number[] = [];
  const absolute: number[] = [];
  for (const [from, params] of paramsReferringTo(core.options.model, type)) {
    const index = types.get(from.name);
    if (index === undefined) continue;
    for (const p of readyIndexes(index.planned.params, params)) {
      indexes.push(p);
      if (index.absolute.has(p)) absolute.push(p);
    }
    for (const { code } of params) core.options.used?.(from, code, 'search');
  }
  return {
    is: 'unreferred',
    references: [
      { indexes, terms: ids.map(id => idTerm(id, type)) },
      { indexes: absolute, terms: ids.map(id => urlTerm(`${base}/${type}/${id}`)) },
    ],
    except: except.map(({ type: name, id }) => [types.get(name)?.t ?? 0, id]),
  };
}

/**
 * The indexes that have a reference to one of the records now: one search by key for each index and term, in one
 * statement for all types.
 */
export function referringNow(database: Database, { references, except }: Unreferred): readonly number[] {
  const apart = JSON.stringify(except.length === 0 ? [] : rowsOf(database, except));
  return references
    .filter(({ indexes }) => indexes.length > 0)
    .flatMap(({ indexes, terms }) =>
      database.all(
        `SELECT p.value FROM json_each(?) p WHERE EXISTS (
          SELECT 1 FROM json_each(?) v CROSS JOIN terms x ON x.p = p.value AND x.v = v.value
            WHERE x.r NOT IN (SELECT value FROM json_each(?)))`,
        [JSON.stringify(indexes), JSON.stringify(terms), apart],
      ),
    )
    .map(([p]) => Number(p));
}

/** Terms that are searched before the event loop gets a turn. */
const turn = 100;

/** Finds referring records on the event loop: other requests are answered between its parts. */
export async function referringInTurns(database: Database, { references, ...asked }: Unreferred): Promise<number[]> {
  const found: number[] = [];
  for (const { indexes, terms } of references)
    for (let at = 0; at < terms.length; at += turn) {
      if (at > 0) await setImmediate();
      const some = { indexes: indexes.filter(p => !found.includes(p)), terms: terms.slice(at, at + turn) };
      found.push(...referringNow(database, { ...asked, references: [some] }));
    }
  return found;
}

/** The numbers of records by type and id. */
const rowsOf = (database: Database, keys: Unreferred['except']): readonly number[] =>
  database
    .all(
      `SELECT u.r FROM json_each(?) k CROSS JOIN resources u
        ON u.t = json_extract(k.value, '$[0]') AND u.id = json_extract(k.value, '$[1]')`,
      [JSON.stringify(keys)],
    )
    .map(([r]) => Number(r));

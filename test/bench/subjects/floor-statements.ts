/**
 * The statements by which the store fetches what each case asks for, as it runs them (the run tells where it does not any more).
 * What it runs beside them, to choose a plan or to see whether a partition has changed, is not here: that is for the service to
 * be cheap at.
 */
export const statements = {
  read: 'SELECT id, version, last_updated, text FROM resources WHERE t = ? AND id = ?',
  byTerm:
    'SELECT c.id, c.r, c.ord, u.version, u.last_updated, u.text FROM terms c CROSS JOIN resources u ON u.r = c.r WHERE c.p = ? AND c.v = ? AND 1 ORDER BY c.ord DESC, c.id DESC LIMIT ?',
  byTermAfter:
    'SELECT c.id, c.r, c.ord, u.version, u.last_updated, u.text FROM terms c CROSS JOIN resources u ON u.r = c.r WHERE c.p = ? AND c.v = ? AND (c.ord, c.id) < (?, ?) ORDER BY c.ord DESC, c.id DESC LIMIT ?',
  byString:
    'WITH m AS MATERIALIZED (SELECT DISTINCT c.id, c.r, c.ord AS k0 FROM (SELECT c.ord, c.id, c.r FROM strings c WHERE c.p = ? AND c.folded >= ? AND c.folded < ?) c WHERE 1) SELECT c.* FROM m c WHERE 1 ORDER BY c.k0 DESC, c.id DESC LIMIT ?',
  byTermAndDate:
    'WITH m AS MATERIALIZED (SELECT  c.id, c.r, c.ord AS k0 FROM (SELECT c.ord, c.id, c.r FROM terms c WHERE c.p = ? AND c.v = ?) c WHERE EXISTS (SELECT 1 FROM ranges x INDEXED BY ranges_id WHERE x.p = ? AND x.id = c.id AND x.k = ? AND x.high > ?)) SELECT c.* FROM m c WHERE 1 ORDER BY c.k0 DESC, c.id DESC LIMIT ?',
  byTermOfADay:
    'SELECT c.id, c.r, c.ord, u.version, u.last_updated, u.text FROM (SELECT c.ord, c.id, c.r FROM terms c WHERE c.p = ? AND c.v = ? AND c.ord >= ? AND c.ord < ? ORDER BY c.ord DESC, c.id DESC LIMIT ?) c CROSS JOIN resources u ON u.r = c.r WHERE (c.ord >= ? OR EXISTS (SELECT 1 FROM ranges x INDEXED BY ranges_id WHERE x.p = ? AND x.id = c.id AND x.k = ? AND x.low < ? AND x.high > ?)) LIMIT ?',
  texts: 'SELECT u.version, u.last_updated, u.text FROM json_each(?) j CROSS JOIN resources u ON u.r = j.value',
} as const;

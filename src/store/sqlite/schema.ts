/**
 * The tables of the oldest layout that a start upgrades (migrations.ts): do not edit it. `n` is a partition, `t` a type
 * in a partition, `p` an index of a type (a parameter, a component, a pair), `r` a resource. `ord` is the sort date of
 * a resource, in a type without one the time of its creation, and is in every entry, so that "by this term, newest
 * first" is one range of `terms`.
 */
export const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- A partition without an id is being removed.
CREATE TABLE partitions (
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, settings TEXT NOT NULL, last_updated INTEGER NOT NULL DEFAULT 0);

CREATE TABLE types (
  t INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL, type TEXT NOT NULL, resources INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX types_key ON types (n, type);

-- absolute = 1: the index has, or had, entries of absolute references.
-- state: ready, pending (filled up to the id in "after", done resources so far), dropped (its rows are to be deleted).
CREATE TABLE parameters (
  p INTEGER PRIMARY KEY AUTOINCREMENT, t INTEGER NOT NULL, code TEXT NOT NULL, digest TEXT NOT NULL,
  state TEXT NOT NULL, after TEXT NOT NULL DEFAULT '', done INTEGER NOT NULL DEFAULT 0,
  absolute INTEGER NOT NULL DEFAULT 0);
CREATE INDEX parameters_type ON parameters (t);
CREATE UNIQUE INDEX parameters_code ON parameters (t, code) WHERE state <> 'dropped';

-- Current versions; a tombstone has neither text, ord nor owners (store/keys/owners.ts).
CREATE TABLE resources (
  r INTEGER PRIMARY KEY, t INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, last_updated INTEGER NOT NULL,
  ord INTEGER, text TEXT, digest TEXT, owners TEXT);
CREATE UNIQUE INDEX resources_key ON resources (t, id);
CREATE INDEX resources_ord ON resources (t, ord, id) WHERE ord IS NOT NULL;
CREATE INDEX resources_updated ON resources (t, last_updated, id, ord) WHERE ord IS NOT NULL;
CREATE INDEX resources_removed ON resources (t, last_updated, id) WHERE ord IS NULL;

CREATE TABLE versions (
  t INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, last_updated INTEGER NOT NULL, text TEXT,
  digest TEXT, owners TEXT);
CREATE UNIQUE INDEX versions_key ON versions (t, id, version);
CREATE INDEX versions_updated ON versions (t, last_updated, id, version);

-- Bytes lie beside the file, by digest; item counts what one version carries.
CREATE TABLE attachments (
  t INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, item INTEGER NOT NULL, n INTEGER NOT NULL,
  path TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
  PRIMARY KEY (t, id, version, item)) WITHOUT ROWID;
CREATE INDEX attachments_digest ON attachments (n, digest);

-- Tokens, references, URIs, pairs; v = '' marks a resource without the parameter.
CREATE TABLE terms (
  p INTEGER NOT NULL, v TEXT NOT NULL, ord INTEGER NOT NULL, id TEXT NOT NULL,
  item INTEGER NOT NULL, r INTEGER NOT NULL,
  PRIMARY KEY (p, v, ord, id, item)) WITHOUT ROWID;

CREATE TABLE strings (
  p INTEGER NOT NULL, folded TEXT NOT NULL, text TEXT NOT NULL, id TEXT NOT NULL, item INTEGER NOT NULL,
  ord INTEGER NOT NULL, r INTEGER NOT NULL,
  PRIMARY KEY (p, folded, text, id, item)) WITHOUT ROWID;
CREATE INDEX strings_id ON strings (p, id, folded, text, item);

-- Dates, numbers, quantities (k: by which unit). long = 1 for intervals wider than the floor of a scan by low.
CREATE TABLE ranges (
  p INTEGER NOT NULL, k TEXT NOT NULL, long INTEGER NOT NULL, low NUMERIC NOT NULL, high NUMERIC NOT NULL,
  id TEXT NOT NULL, item INTEGER NOT NULL, ord INTEGER NOT NULL, r INTEGER NOT NULL,
  PRIMARY KEY (p, k, long, low, high, id, item)) WITHOUT ROWID;
CREATE INDEX ranges_id ON ranges (p, id, k, low, high, item);
CREATE INDEX ranges_high ON ranges (p, k, high, low, id, item, ord, r) WHERE long = 1;

-- Sort keys: which = 0 the highest low end of a parameter, 1 the lowest.
CREATE TABLE sorts (
  p INTEGER NOT NULL, which INTEGER NOT NULL, k INTEGER NOT NULL, id TEXT NOT NULL,
  ord INTEGER NOT NULL, r INTEGER NOT NULL,
  PRIMARY KEY (p, which, k, id)) WITHOUT ROWID;

CREATE TABLE marks (n INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, digest TEXT,
  PRIMARY KEY (n, key)) WITHOUT ROWID;
-- So that a mark that is lost is missed, as rows of the other tables are by their indexes.
CREATE INDEX marks_digest ON marks (digest);

-- The idempotency keys of writes with their first results.
CREATE TABLE keys (
  n INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, results TEXT NOT NULL, expires INTEGER NOT NULL,
  digest TEXT, PRIMARY KEY (n, key)) WITHOUT ROWID;
CREATE INDEX keys_expires ON keys (expires);

CREATE TABLE documents (
  collection TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER, digest TEXT,
  PRIMARY KEY (collection, key));
CREATE INDEX documents_expires ON documents (expires) WHERE expires IS NOT NULL;

INSERT INTO meta VALUES ('epoch', '1'), ('definitions', '');
`;

/** The second layout: the attachments of versions, and the keys of writes with their first results. */
export const attachmentsSchema = `
-- Bytes lie beside the file, by digest; item counts what one version carries.
CREATE TABLE attachments (
  t INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, item INTEGER NOT NULL, n INTEGER NOT NULL,
  path TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
  PRIMARY KEY (t, id, version, item)) WITHOUT ROWID;
CREATE INDEX attachments_digest ON attachments (n, digest);

CREATE TABLE keys (
  n INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, results TEXT NOT NULL, expires INTEGER NOT NULL,
  PRIMARY KEY (n, key)) WITHOUT ROWID;
CREATE INDEX keys_expires ON keys (expires);
`;

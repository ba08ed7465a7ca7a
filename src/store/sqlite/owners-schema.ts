/** The fifth layout: the owners of versions (store/owners.ts). */
export const ownersSchema = `
-- NULL: a tombstone, or a version of an older layout; a server derives the owners of the current ones (upgrade.ts),
-- which it finds by the index.
ALTER TABLE resources ADD COLUMN owners TEXT;
ALTER TABLE versions ADD COLUMN owners TEXT;
CREATE INDEX resources_unowned ON resources (owners) WHERE owners IS NULL AND ord IS NOT NULL;
INSERT OR IGNORE INTO meta VALUES ('upgrade', '');
`;

/** The findings of `verify`, with their meanings and remedies: for its help text and store/README.md. */
export const findings: readonly (readonly [finding: string, meaning: string, remedy: string])[] = [
  [
    'file',
    'The database file is damaged: it cannot be opened, a page of it cannot be read, or an index of ' +
      'the file lacks a record',
    'Stop the server, check the disk, and restore a backup',
  ],
  [
    'lost',
    'The audit log has a write of a record that is not stored',
    'Restore a backup; then load later changes from the source of the record',
  ],
  ['text', 'The text of a version is not JSON', 'Restore a backup, or load the record again and run `index rebuild`'],
  ['altered', 'A version differs from what was written: its digest does not match', 'As `text`'],
  ['stamp', 'A text has another type, id, version or time than its key', 'As `text`'],
  ['index', 'Search entries, or their description, differ from the record', 'Run `index rebuild`'],
  [
    'value',
    'Other data than records is damaged: settings, a count, a document, a mark, an idempotency key',
    'Restore a backup; clients, users and keys may be added again',
  ],
  ['missing', 'The content of an attachment does not exist', 'Copy the file of this SHA-256 from a backup'],
  ['size', 'The content of an attachment has another length', 'As `missing`'],
  ['digest', 'The content of an attachment differs from what was stored', 'As `missing`'],
  ['trashed', 'A record references an attachment in the trash', 'Start a server: its first sweep restores it'],
  [
    'orphan',
    'No record has referenced this attachment for 8 days, and no server has moved it to the trash',
    'None: the next sweep of a server does it',
  ],
  [
    'audit altered',
    'A line of the audit log was altered',
    'Find out who could write there; compare it with an export that is stored elsewhere',
  ],
  ['audit missing', 'Lines, or a whole file, of the audit log are gone', 'As `audit altered`'],
];

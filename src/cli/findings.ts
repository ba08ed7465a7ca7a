/** What each finding of `verify` means, and what to do: for its help text and store/README.md. */
export const findings: readonly (readonly [finding: string, meaning: string, remedy: string])[] = [
  [
    'file',
    'The database file is damaged: it cannot be opened, a page of it cannot be read, or an index of the file lacks a record',
    'Stop the server, check the disk, and restore a backup',
  ],
  [
    'unreadable',
    'A version of a record lies where the file is damaged',
    'Restore a backup; a load from the source of the record may then bring what came later',
  ],
  ['lost', 'A record was stored, and it is not there any more', 'As `unreadable`'],
  ['text', 'The text of a version is not JSON', 'Restore a backup, or load the record again and run `index rebuild`'],
  ['altered', 'A version is not what was written: its digest is another', 'As `text`'],
  ['stamp', 'A text says another type, id, version or time than it is stored under', 'As `text`'],
  ['index', 'Search entries differ from the record, or are not described as they should be', 'Run `index rebuild`'],
  [
    'value',
    'Something beside the records is damaged: settings, a count, a document, a mark, the key of a write',
    'Restore a backup; clients, users and keys may be added again',
  ],
  ['missing', 'The bytes of an attachment are not there', 'Copy the file of this SHA-256 from a backup'],
  ['size', 'The bytes of an attachment have another length', 'As `missing`'],
  ['digest', 'The bytes of an attachment are not what was stored', 'As `missing`'],
  ['trashed', 'A record refers to bytes that are in the trash', 'Start a server: its first sweep takes them back'],
  [
    'orphan',
    'No record has referred to these bytes for 8 days, and no server has moved them to the trash',
    'Nothing: a server does so with its next sweep',
  ],
  [
    'audit altered',
    'A line of the audit log is not what was written',
    'Find out who could write there; compare it with an export that is kept elsewhere',
  ],
  ['audit missing', 'Lines, or a whole file, of the audit log are gone', 'As `audit altered`'],
];

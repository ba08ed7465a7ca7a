import type { Command } from './command.ts';

/** A command that is imported at its use: the table of contents of the command line. */
export interface Entry {
  /** As typed: `partition add`. */
  readonly name: string;
  readonly summary: string;
  readonly import: () => Promise<{ readonly command: Command }>;
}

export const commands: readonly Entry[] = [
  { name: 'serve', summary: 'Serve the records over HTTP', import: () => import('./serve.ts') },
  { name: 'load', summary: 'Load NDJSON and Bundles into a partition', import: () => import('./load.ts') },
  { name: 'generate', summary: 'Write synthetic records as NDJSON', import: () => import('./generate.ts') },
  { name: 'delete', summary: 'Delete records; reads of them then answer 410', import: () => import('./delete.ts') },
  {
    name: 'validate',
    summary: 'Check resources in files against R4 and profiles',
    import: () => import('./validate.ts'),
  },
  {
    name: 'definitions check',
    summary: 'Check the definition files, as a start would',
    import: () => import('./definitions-check.ts'),
  },
  {
    name: 'definitions reload',
    summary: 'Let the running server load its definition files again',
    import: () => import('./definitions-reload.ts'),
  },
  {
    name: 'definitions rollback',
    summary: 'Let the running server restore former definitions',
    import: () => import('./definitions-rollback.ts'),
  },
  {
    name: 'definitions history',
    summary: 'List the last sets of definitions, with their versions',
    import: () => import('./definitions-history.ts'),
  },
  {
    name: 'definitions init',
    summary: 'Write a capability folder from a published guide, or for all of R4',
    import: () => import('./definitions-init.ts'),
  },
  {
    name: 'conformance',
    summary: 'Test any FHIR R4 server by its own CapabilityStatement',
    import: () => import('./conformance.ts'),
  },
  { name: 'explain', summary: 'Show how a search is understood and answered', import: () => import('./explain.ts') },
  {
    name: 'index status',
    summary: 'Show which search parameters are ready and which are being rebuilt',
    import: () => import('./index-status.ts'),
  },
  {
    name: 'index verify',
    summary: 'Compare the index entries with the records',
    import: () => import('./index-verify.ts'),
  },
  { name: 'index rebuild', summary: 'Rebuild the index entries', import: () => import('./index-rebuild.ts') },
  {
    name: 'index usage',
    summary: 'List how often searches used each index, and which never',
    import: () => import('./index-usage.ts'),
  },
  {
    name: 'index drop-unused',
    summary: 'Drop MongoDB indexes that the definitions no longer need',
    import: () => import('./index-drop-unused.ts'),
  },
  {
    name: 'attachment list',
    summary: 'List attachments with their records',
    import: () => import('./attachment-list.ts'),
  },
  {
    name: 'attachment export',
    summary: 'Write records and their attachments into a folder',
    import: () => import('./attachment-export.ts'),
  },
  {
    name: 'verify',
    summary: 'Find damaged records, index entries, attachments and audit events',
    import: () => import('./verify.ts'),
  },
  {
    name: 'backup',
    summary: 'Copy an SQLite store into a folder, also while a server runs',
    import: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    summary: 'Restore an SQLite store from a backup, and verify it',
    import: () => import('./restore.ts'),
  },
  {
    name: 'migrate',
    summary: 'Copy a store into another one, and compare them',
    import: () => import('./migrate.ts'),
  },
  {
    name: 'upgrade check',
    summary: 'Show what this version would change in the store, and whether a backup is recent',
    import: () => import('./upgrade-check.ts'),
  },
  { name: 'audit list', summary: 'List audit events', import: () => import('./audit-list.ts') },
  { name: 'audit export', summary: 'Write audit events as NDJSON', import: () => import('./audit-export.ts') },
  { name: 'audit prune', summary: 'Delete old audit events', import: () => import('./audit-prune.ts') },
  {
    name: 'client add',
    summary: 'Register an app or a backend system',
    import: () => import('./client-add.ts'),
  },
  {
    name: 'client list',
    summary: 'List the apps and backend systems that are registered',
    import: () => import('./client-list.ts'),
  },
  {
    name: 'client update',
    summary: 'Change the name, addresses, scopes, partitions or keys of a client',
    import: () => import('./client-update.ts'),
  },
  {
    name: 'client rotate',
    summary: 'Give a client a new secret or new keys',
    import: () => import('./client-rotate.ts'),
  },
  {
    name: 'client remove',
    summary: 'Remove an app or a backend system, and end its tokens',
    import: () => import('./client-remove.ts'),
  },
  {
    name: 'client assertion',
    summary: 'Print a signed client assertion (JWT) for manual testing',
    import: () => import('./client-assertion.ts'),
  },
  { name: 'user add', summary: 'Register a user who signs in', import: () => import('./user-add.ts') },
  { name: 'user list', summary: 'List the users', import: () => import('./user-list.ts') },
  {
    name: 'user update',
    summary: 'Change the name, the partitions or the resource of a user',
    import: () => import('./user-update.ts'),
  },
  {
    name: 'user rotate',
    summary: 'Set a new password for a user, and end all sessions and tokens',
    import: () => import('./user-rotate.ts'),
  },
  {
    name: 'user remove',
    summary: 'Remove a user, and end all sessions and tokens',
    import: () => import('./user-remove.ts'),
  },
  {
    name: 'launch add',
    summary: 'Create a single-use launch token and print the URL that starts an app with it',
    import: () => import('./launch-add.ts'),
  },
  { name: 'key rotate', summary: 'Add a key that signs ID tokens', import: () => import('./key-rotate.ts') },
  { name: 'token', summary: 'Issue an access token for one partition', import: () => import('./token.ts') },
  { name: 'partition add', summary: 'Add an empty partition', import: () => import('./partition-add.ts') },
  { name: 'partition list', summary: 'List the partitions', import: () => import('./partition-list.ts') },
  {
    name: 'partition update',
    summary: 'Change the display name of a partition',
    import: () => import('./partition-update.ts'),
  },
  {
    name: 'partition remove',
    summary: 'Remove a partition and everything in it',
    import: () => import('./partition-remove.ts'),
  },
];

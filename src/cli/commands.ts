import type { Command } from './command.ts';

/** A command that is imported at its use: the table of contents of the command line. */
export interface CommandEntry {
  /** The words that are typed: `partition add`. */
  readonly name: string;
  readonly summary: string;
  readonly import: () => Promise<Command>;
}

/** The command that a module exports under a name. */
const entry = <Name extends string>(
  name: string,
  summary: string,
  load: () => Promise<{ readonly [K in Name]: Command }>,
  exported: Name,
): CommandEntry => ({ name, summary, import: async () => (await load())[exported] });

const definitions = () => import('./definitions.ts');
const indexes = () => import('./indexes.ts');
const attachments = () => import('./attachments.ts');
const backup = () => import('./backup.ts');
const audit = () => import('./audit.ts');
const clients = () => import('./clients.ts');
const clientChanges = () => import('./client-changes.ts');
const users = () => import('./users.ts');
const partitions = () => import('./partitions.ts');
const views = () => import('./views.ts');
const terminology = () => import('./terminology.ts');

export const commands: readonly CommandEntry[] = [
  entry('serve', 'Serve the records over HTTP', () => import('./serve.ts'), 'command'),
  entry('load', 'Load NDJSON and Bundles into a partition', () => import('./load.ts'), 'command'),
  entry('export', 'Write the records of a partition as NDJSON', () => import('./export.ts'), 'command'),
  entry('generate', 'Write synthetic records as NDJSON', () => import('./generate.ts'), 'command'),
  entry('delete', 'Delete records; reads of them then answer 410', () => import('./delete.ts'), 'command'),
  entry('terminology load', 'Load a code system with many concepts', terminology, 'terminologyLoad'),
  entry('terminology list', 'List the code systems that were loaded', terminology, 'terminologyList'),
  entry('terminology remove', 'Remove a code system that was loaded', terminology, 'terminologyRemove'),
  entry('view run', 'Run a view on the records of a partition, and write its rows', views, 'viewRun'),
  entry('view schema', 'Print the table of a view', views, 'viewSchema'),
  entry('view list', 'List the views of the definitions', views, 'viewList'),
  entry('validate', 'Check resources in files against R4 and profiles', () => import('./validate.ts'), 'command'),
  entry('definitions check', 'Check the definition files, as a start would', definitions, 'definitionsCheck'),
  entry(
    'definitions reload',
    'Let the running server load its definition files again',
    definitions,
    'definitionsReload',
  ),
  entry(
    'definitions rollback',
    'Let the running server restore former definitions',
    definitions,
    'definitionsRollback',
  ),
  entry(
    'definitions history',
    'List the last sets of definitions, with their versions',
    definitions,
    'definitionsHistory',
  ),
  entry(
    'definitions init',
    'Write a capability folder from a published guide, or for all of R4',
    () => import('./definitions-init.ts'),
    'command',
  ),
  entry(
    'conformance',
    'Test any FHIR R4 server by its own CapabilityStatement',
    () => import('./conformance.ts'),
    'command',
  ),
  entry('explain', 'Show how a search is understood and answered', () => import('./explain.ts'), 'command'),
  entry('index status', 'Show which search parameters are ready and which are being rebuilt', indexes, 'indexStatus'),
  entry('index verify', 'Compare the index entries with the records', indexes, 'indexVerify'),
  entry('index rebuild', 'Rebuild the index entries', indexes, 'indexRebuild'),
  entry('index usage', 'List how often searches used each index, and which never', indexes, 'indexUsage'),
  entry('index drop-unused', 'Drop MongoDB indexes that the definitions no longer need', indexes, 'indexDropUnused'),
  entry('attachment list', 'List attachments with their records', attachments, 'attachmentList'),
  entry('attachment export', 'Write records and their attachments into a folder', attachments, 'attachmentExport'),
  entry(
    'verify',
    'Find damaged records, index entries, attachments and audit events',
    () => import('./verify.ts'),
    'command',
  ),
  entry('backup', 'Copy an SQLite store into a folder, also while a server runs', backup, 'backup'),
  entry('restore', 'Restore an SQLite store from a backup, and verify it', backup, 'restore'),
  entry('migrate', 'Copy a store into another one, and compare them', () => import('./migrate.ts'), 'command'),
  entry(
    'upgrade check',
    'Show what this version would change in the store, and whether a backup is recent',
    () => import('./upgrade-check.ts'),
    'command',
  ),
  entry('audit list', 'List audit events', audit, 'auditList'),
  entry('audit export', 'Write audit events as NDJSON', audit, 'auditExport'),
  entry('audit prune', 'Delete old audit events', audit, 'auditPrune'),
  entry('client add', 'Register an app or a backend system', clients, 'clientAdd'),
  entry('client list', 'List the apps and backend systems that are registered', clients, 'clientList'),
  entry(
    'client update',
    'Change the name, addresses, scopes, partitions or keys of a client',
    clientChanges,
    'clientUpdate',
  ),
  entry('client rotate', 'Give a client a new secret or new keys', clientChanges, 'clientRotate'),
  entry('client remove', 'Remove an app or a backend system, and end its tokens', clients, 'clientRemove'),
  entry(
    'client assertion',
    'Print a signed client assertion (JWT) for manual testing',
    () => import('./client-assertion.ts'),
    'command',
  ),
  entry('user add', 'Register a user who signs in', users, 'userAdd'),
  entry('user list', 'List the users', users, 'userList'),
  entry('user update', 'Change the name, the partitions or the resource of a user', users, 'userUpdate'),
  entry('user rotate', 'Set a new password for a user, and end all sessions and tokens', users, 'userRotate'),
  entry('user remove', 'Remove a user, and end all sessions and tokens', users, 'userRemove'),
  entry(
    'launch add',
    'Create a single-use launch token and print the URL that starts an app with it',
    () => import('./launch-add.ts'),
    'command',
  ),
  entry('key rotate', 'Add a key that signs ID tokens', () => import('./key-rotate.ts'), 'command'),
  entry('token', 'Issue an access token for one partition', () => import('./token.ts'), 'command'),
  entry('partition add', 'Add an empty partition', partitions, 'partitionAdd'),
  entry('partition list', 'List the partitions', partitions, 'partitionList'),
  entry('partition update', 'Change the display name of a partition', partitions, 'partitionUpdate'),
  entry('partition remove', 'Remove a partition and everything in it', partitions, 'partitionRemove'),
];

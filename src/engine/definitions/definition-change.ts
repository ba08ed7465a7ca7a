import { versionOf } from '../../model/capability-statement.ts';
import type { IndexBacklog } from '../../observability/meters.ts';
import { counted } from '../../observability/counted.ts';
import type { ServerAction } from '../../audit/command-event.ts';
import type { Activation, StoredSet } from '../../store/server/definition-sets.ts';

/** The result of a change of the definitions of a running server. */
export type DefinitionChange =
  | {
      readonly kind: 'changed';
      readonly set: StoredSet;
      /** Names of resource types that only one of the two sets declares. */
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** Notices about the new definitions, as at a start. */
      readonly notices: readonly string[];
      /** The indexes that are being built. */
      readonly pending: readonly IndexBacklog[];
    }
  /** The definitions are those that applied before. */
  | { readonly kind: 'unchanged'; readonly set: StoredSet }
  /** Nothing has changed: the former definitions stay in use. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** The change in sentences for the operator, one a line. */
export function describeChange(change: DefinitionChange): readonly string[] {
  switch (change.kind) {
    case 'changed': {
      const { set, added, removed, notices, pending } = change;
      return [...notices, changedText[set.by](set), ...typesText(added, removed), ...pendingText(pending)];
    }
    case 'unchanged':
      return [`The definitions are unchanged: version ${versionOf(change.set.digest)}.`];
    case 'refused':
      return [...change.problems, 'The definitions were not changed; the former ones stay in use.'];
    default:
      return change satisfies never;
  }
}

/** The change as an action of the server, for the audit. */
export function changeAction(by: Activation, change: DefinitionChange): ServerAction {
  const action = { what: `definitions ${by}`, kind: 'other' } as const;
  if (change.kind === 'refused') return { ...action, outcome: '4', details: { problems: change.problems.length } };
  const { digest, types, parameters } = change.set;
  return { ...action, outcome: '0', details: { version: versionOf(digest), types, parameters } };
}

const numbers = ({ digest, types, parameters }: StoredSet): string =>
  `version ${versionOf(digest)}, ${counted(types, 'resource type')} with ${counted(parameters, 'search parameter')}.`;

const changedText = {
  start: (set: StoredSet) => `The definitions of another server are in use: ${numbers(set)}`,
  reload: (set: StoredSet) => `The definitions were reloaded: ${numbers(set)}`,
  rollback: (set: StoredSet) => `Former definitions were restored: ${numbers(set)}`,
};

const typesText = (added: readonly string[], removed: readonly string[]): readonly string[] => [
  ...(added.length === 0 ? [] : [`New resource types: ${added.join(', ')}.`]),
  ...(removed.length === 0 ? [] : [`No longer declared, their records are stored: ${removed.join(', ')}.`]),
];

/** A sentence about indexes that are being built; none if all are complete. */
export function pendingText(pending: readonly IndexBacklog[]): readonly string[] {
  if (pending.length === 0) return [];
  const list = pending.map(
    ({ type, parameters, done, of }) => `${type} ${counted(parameters, 'parameter')} ${percent(done, of)}`,
  );
  return [`Indexes are being built, \`index status\` lists them: ${list.join(', ')}.`];
}

const percent = (done: number, of: number): string => `${of === 0 ? 100 : Math.floor((100 * done) / of)} %`;

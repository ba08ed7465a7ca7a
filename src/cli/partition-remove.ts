import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { partitionId } from '../config/values.ts';
import { namePartition } from '../store/server/documents.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Removes a partition with its records, their history and their index entries; requires `--yes`. */
export const command = defineCommand({
  positionals: 'ID',
  details: 'This cannot be undone: without --yes nothing is removed.',
  takes: storeSettings,
  own: [{ flag: 'yes', value: undefined, read: () => true, meaning: 'Really remove it, with every record in it' }],
  async run({ config, positionals, own }) {
    const id = onePositional(positionals, 'ID', partitionId);
    if (own.yes !== true) {
      throw new CommandError(`Every record in \`${id}\` would be lost. Add \`--yes\` to remove it.`, exitCodes.usage);
    }
    const about = { command: 'partition remove', kind: 'records', action: 'D', partition: id } as const;
    const removed = await withStore(config, 'command', opened =>
      audited(opened, about, async add => {
        const isRemoved = await opened.store.partitions.remove(id);
        await namePartition(opened.store, id, undefined);
        // Otherwise its tokens would be valid again for a new partition of the same name.
        await revoke(opened.store.documents(revocationCollection), 'partition', id, Date.now());
        if (!isRemoved) add({ details: { removed: 0 } });
        return isRemoved;
      }),
    );
    if (!removed) throw new CommandError(`There is no partition \`${id}\`.`);
    console.log(`The partition \`${id}\` is removed.`);
    return exitCodes.done;
  },
});

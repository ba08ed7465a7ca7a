import { ConfigError } from '../config/read.ts';
import { isId } from '../fhir/reference.ts';
import { targetEntity } from '../audit/entities.ts';
import { audited } from './audited.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';

/** Replaces each record by a tombstone: reads return 410, searches no longer find it. */
export const command = defineCommand({
  positionals: 'TYPE/ID...',
  details: 'All records in one commit. Exit code 3 if one did not exist, or was deleted before.',
  takes: [...storeSettings, 'partition'],
  async run({ config, positionals }) {
    const wrong = positionals.filter(key => !isKey(key));
    if (wrong.length > 0) {
      throw new ConfigError(wrong.map(key => `\`${key}\` must be a resource type and an id separated by a slash.`));
    }
    if (positionals.length === 0) throw new ConfigError(['TYPE/ID is missing.']);
    const [{ deleteResources }, { createAddPatients }] = await Promise.all([
      import('../bulk/delete.ts'),
      import('../audit/patients.ts'),
    ]);
    const deleted = await withStore(config, 'command', async opened => {
      const { model, store, extract, publicUrl, owner } = opened;
      const partition = await partitionOf(store, config.partition);
      const patients = new Set<string>();
      const keys = [...new Set(positionals)].map(splitKey);
      const addPatients = createAddPatients(model, extract, publicUrl);
      for (const record of await partition.readMany(keys)) addPatients(patients, record, partition);
      const records = keys.map(({ type, id }) => targetEntity(`${type}/${id}`));
      const about = {
        command: 'delete',
        kind: 'records',
        action: 'D',
        partition: partition.id,
        owner,
        patients,
        records,
      } as const;
      return audited(opened, about, async add => {
        const results = await deleteResources(partition, model, positionals);
        add({ details: { deleted: results.filter(({ outcome }) => outcome === 'removed').length } });
        return results;
      });
    });
    for (const { key, outcome } of deleted) {
      console.log(outcome === 'removed' ? `${key} is deleted.` : `${key} does not exist, or was deleted before.`);
    }
    return deleted.every(({ outcome }) => outcome === 'removed') ? exitCodes.done : exitCodes.found;
  },
});

function splitKey(text: string): { readonly type: string; readonly id: string } {
  const [type = '', id = ''] = text.split('/');
  return { type, id };
}

function isKey(text: string): boolean {
  const [type = '', id = '', ...more] = text.split('/');
  return /^[A-Z][A-Za-z]+$/.test(type) && isId(id) && more.length === 0;
}

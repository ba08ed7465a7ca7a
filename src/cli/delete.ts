import { ConfigError } from '../config.ts';
import { isId } from '../fhir/id.ts';
import { targetEntity } from '../audit/entities.ts';
import { accounted } from './accounted.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';

/** Leaves a tombstone in place of each record: reads answer 410, searches no longer find it. */
export const command = defineCommand({
  positionals: 'TYPE/ID...',
  details: 'All of them in one commit. Exit code 3 where one was not there, or had been deleted before.',
  takes: [...storeSettings, 'partition'],
  async run({ config, positionals }) {
    const wrong = positionals.filter(key => !isKey(key));
    if (wrong.length > 0) {
      throw new ConfigError(
        wrong.map(key => `\`${key}\` must be a resource type and an id with a slash between them.`),
      );
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
      const about = { command: 'delete', kind: 'records', action: 'D', partition: partition.id, owner, patients, records } as const; // prettier-ignore
      return accounted(opened, about, async add => {
        const results = await deleteResources(partition, model, positionals);
        add({ details: { deleted: results.filter(({ outcome }) => outcome === 'removed').length } });
        return results;
      });
    });
    for (const { key, outcome } of deleted) {
      console.log(outcome === 'removed' ? `${key} is deleted.` : `${key} is not there, or was deleted before.`);
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

import { defineCommand, exitCodes, fileSettings } from './command.ts';
import { withDocuments } from './definitions-request.ts';
import { noPositionals } from './positionals.ts';
import { table } from './table.ts';

/** Lists the sets of definitions that the store has. */
export const command = defineCommand({
  details: `The sets that servers have used last, five at most, with the version that /metadata shows, the time when
each came into use, and how. Writes follow the one that is marked as current.`,
  takes: fileSettings,
  async run({ config, positionals }) {
    noPositionals(positionals);
    const [{ createDefinitionSets }, { versionOf }] = await Promise.all([
      import('../store/server/definition-sets.ts'),
      import('../model/capability-statement.ts'),
    ]);
    const { sets, current } = await withDocuments(config, 'read', async store => ({
      sets: await createDefinitionSets(store).list(),
      current: (await store.check()).definitions,
    }));
    const rows = sets.map(({ digest, activated, by, types, parameters }) => [
      versionOf(digest),
      new Date(activated).toISOString(),
      by,
      String(types),
      String(parameters),
      digest === current ? 'current' : '',
    ]);
    if (rows.length === 0) console.log('The store has no sets of definitions: no server has used it yet.');
    else console.log(table(['version', 'in use since', 'by', 'types', 'parameters', ''], rows));
    return exitCodes.done;
  },
});

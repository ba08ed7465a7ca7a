import { counted } from '../observability/counted.ts';
import { integer } from '../config/values.ts';
import { readIndexUsage, usageCollection, usageDays } from '../store/server/index-usage.ts';
import type { UsedIndex } from '../store/server/index-usage.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count } from './progress.ts';

/** One line for each declared index, the most used first, and a closing sentence. */
export const command = defineCommand({
  details: `Each line has the index, its use, how many searches and counts used it, and the last day (UTC) on which
one did. \`search\` is the index that finds matches, \`sort\` the one that has the order; a pair such as
\`patient+code\` is used instead of its parts. Servers add what they counted every five minutes and when
they end; the uses of 31 days are stored. An index that no search uses costs space and time at each write:
its declaration may be removed, unless an access rule needs it.`,
  takes: storeSettings,
  own: [
    {
      flag: 'days',
      value: 'NUMBER',
      read: integer(1, usageDays),
      default: '7',
      meaning: 'Days that are added up, today included',
    },
    { flag: 'unused', value: undefined, read: () => true, meaning: 'List only indexes that no search used' },
  ],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const days = own.days ?? 7;
    const { indexes, since } = await withStore(config, 'read', ({ store, model }) =>
      readIndexUsage(store.documents(usageCollection), model, days, Date.now()),
    );
    const unused = indexes.filter(({ uses }) => uses === 0);
    for (const one of own.unused === true ? unused : indexes) console.log(lineOf(one));
    const period = since === undefined ? 'no server has counted a search' : `counted since ${since}`;
    const used = indexes.length - unused.length;
    console.log(
      `${counted(used, 'index', 'indexes')} used, ${count(unused.length)} never, ` +
        `in the last ${counted(days, 'day')}; ${period}.`,
    );
    return exitCodes.done;
  },
});

function lineOf({ type, code, use, uses, last }: UsedIndex): string {
  return [`${type}?${code}`, use, uses === 0 ? 'never' : count(uses), last ?? '-'].join('\t');
}

import { audited } from './audited.ts';
import { untilFlag } from './audit-flags.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

import { counted } from '../observability/counted.ts';

const day = 86_400_000;

/** Deletes whole days only, so that the remaining files are unchanged. */
export const command = defineCommand({
  details: `Whole days (UTC) before the day of --until; without it, those older than \`audit-days\`, which a server
deletes automatically once an hour. The events of all partitions are deleted. The deletion is an event
too.

  npm run cli -- audit prune --until 2025-11-01`,
  takes: [...storeSettings, 'audit-days'],
  own: [untilFlag],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const until = own.until ?? Date.now() - config.auditDays * day;
    const before = new Date(until).toISOString().slice(0, 10);
    return withStore(config, 'command', async opened => {
      const about = { command: 'audit prune', kind: 'audit', action: 'D', details: { before } } as const;
      const events = await audited(opened, about, async add => {
        const dropped = await opened.audit.prune(until);
        add({ details: { events: dropped } });
        return dropped;
      });
      console.log(`${counted(events, 'event')} before ${before} deleted.`);
      return exitCodes.done;
    });
  },
});

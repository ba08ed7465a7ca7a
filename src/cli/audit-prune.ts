import { accounted } from './accounted.ts';
import { untilFlag } from './audit-flags.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

import { counted } from '../observability/counted.ts';

const day = 86_400_000;

/** Whole days alone, so that what stays is what was written. */
export const command = defineCommand({
  details: `Whole days (UTC) before the day of --until; without it, those that are older than \`audit-days\`, which a server drops
by itself once an hour. The events of all partitions are dropped. That leaves an event.

  npm run cli -- audit prune --until 2025-11-01`,
  takes: [...storeSettings, 'audit-days'],
  own: [untilFlag],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const until = own.until ?? Date.now() - config.auditDays * day;
    const before = new Date(until).toISOString().slice(0, 10);
    return withStore(config, 'command', async opened => {
      const about = { command: 'audit prune', kind: 'audit', action: 'D', details: { before } } as const;
      const events = await accounted(opened, about, async add => {
        const dropped = await opened.store.audit.prune(until);
        add({ details: { events: dropped } });
        return dropped;
      });
      console.log(`${counted(events, 'event')} before ${before} deleted.`);
      return exitCodes.done;
    });
  },
});

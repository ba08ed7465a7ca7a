import { accounted } from './accounted.ts';
import { auditFlags } from './audit-flags.ts';
import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

import { counted } from '../observability/counted.ts';

const day = 86_400_000;

/** Whole days alone, so that what stays is what was written. */
export const command: Command = {
  details: `Whole days (UTC) before the day of --until; without it, those that are older than \`audit-days\`, which a server drops
by itself once an hour. The events of all partitions are dropped. That leaves an event.

  npm run cli -- audit prune --until 2025-11-01`,
  takes: [...storeSettings, 'audit-days'],
  own: auditFlags.filter(({ flag }) => flag === 'until'),
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const until = (own['until'] as number | undefined) ?? Date.now() - config.auditDays * day; // read by auditFlags
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
};

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readEvents } from '../audit/read-events.ts';
import { writeNewFile } from '../bulk/new-file.ts';
import { audited } from './audited.ts';
import { auditFilter, auditFlags, filterDetails } from './audit-flags.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

import { some } from '../config/values.ts';
import { counted } from '../observability/counted.ts';

/** Writes events as AuditEvents, one per line. */
export const command = defineCommand({
  details: `AuditEvents of FHIR R4, one per line, in the order of time, to stdout or into a new file. The export is an
event too.

  npm run --silent cli -- audit export --since 2026-11-01 --until 2026-12-01 --out ./november.ndjson`,
  takes: [...storeSettings, 'partition'],
  whenStopped: 'The output is not complete: remove the file and run the same command again.',
  own: [...auditFlags, { flag: 'out', value: 'FILE', read: some, meaning: 'A new file, instead of stdout' }],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const filter = auditFilter(config, own);
    const out = own.out;
    return withStore(config, 'read', async opened => {
      const access = { command: 'audit export', kind: 'audit', action: 'R', details: filterDetails(filter) } as const;
      const about = {
        ...access,
        partition: config.partition,
        patients: filter.patient === undefined ? [] : [filter.patient],
        owner: opened.owner,
      };
      let events = 0;
      await audited(opened, about, async add => {
        const lines = async function* (): AsyncGenerator<string> {
          for await (const { text } of readEvents(opened.audit, filter)) {
            yield `${text}\n`;
            events += 1;
          }
        };
        if (out === undefined) await pipeline(Readable.from(lines()), process.stdout, { end: false });
        else await writeNewFile(out, file => pipeline(Readable.from(lines()), file.createWriteStream()));
        add({ details: { events } });
      });
      if (out !== undefined) console.log(`${counted(events, 'event')} written to ${out}.`);
      return exitCodes.done;
    });
  },
});

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { counted } from '../observability/counted.ts';
import { readEvents } from '../audit/read-events.ts';
import { writeNewFile } from '../bulk/new-file.ts';
import { some } from '../config/values.ts';
import { asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { AuditEntry, AuditFilter } from '../store/audit/line.ts';
import type { Flag, Given } from '../config/flag.ts';
import type { Config } from '../config/read.ts';
import { audited } from './audited.ts';
import { defineCommand, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { printable } from './print.ts';
import { recordId } from './record-flags.ts';

/** `--until`, for commands that need no other filter. */
const untilFlag = {
  flag: 'until',
  value: 'TIME',
  read: time,
  meaning: 'Before this day or time',
} as const satisfies Flag;

/** The filters of events, in addition to `--partition`. */
const auditFlags = [
  {
    flag: 'since',
    value: 'TIME',
    read: time,
    meaning: 'From this day or time on: `2026-11-21`, or with `T09:30:00Z`',
  },
  untilFlag,
  {
    flag: 'patient',
    value: 'ID',
    read: recordId,
    meaning: 'Only events about this patient',
  },
  { flag: 'client', value: 'ID', read: some, meaning: 'Only events of this client' },
] as const satisfies readonly Flag[];

/** The filter of the flags. */
function auditFilter({ partition }: Config, own: Given<typeof auditFlags>): AuditFilter {
  const { since, until, patient, client } = own;
  return {
    ...(partition === undefined ? {} : { partition }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(patient === undefined ? {} : { patient }),
    ...(client === undefined ? {} : { client }),
  };
}

/** The filter in the details of an event. */
function filterDetails({ since, until, patient }: AuditFilter): Readonly<Record<string, string>> {
  const texts = {
    since: since && new Date(since).toISOString(),
    until: until && new Date(until).toISOString(),
    patient,
  };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]])),
  );
}

/** Days are in UTC. */
function time(text: string): number {
  const value = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(value)) return value;
  throw new Error(
    `is \`${text}\`, but must be a day such as \`2026-11-21\`, or a time such as \`2026-11-21T09:30:00Z\`.`,
  );
}

/** Lists events, one per line, separated by tabs. */
export const auditList = defineCommand({
  details: `One line per event, in the order of time: time, partition, action (\`read\`, \`search-type\`, \`create\`,
or the name of a command), outcome, client, user, patients, records. The outcome is 0 (done), 4 (refused),
8 (failed), or \`begun\`. Searches, addresses and the rest are in the output of \`audit export\`. The
listing is an event too.

  npm run --silent cli -- audit list --partition demo --patient ID --since 2026-11-01`,
  takes: [...storeSettings, 'partition'],
  own: auditFlags,
  async run({ config, own }) {
    const filter = auditFilter(config, own);
    return withStore(config, 'read', async opened => {
      const access = { command: 'audit list', kind: 'audit', action: 'R', details: filterDetails(filter) } as const;
      const about = {
        ...access,
        partition: config.partition,
        patients: filter.patient === undefined ? [] : [filter.patient],
        owner: opened.owner,
      };
      await audited(opened, about, async () => {
        for await (const entry of readEvents(opened.audit, filter)) console.log(lineOf(entry));
      });
    });
  },
});

function lineOf({ recorded, partition, client, patients, text }: AuditEntry): string {
  const event = JSON.parse(text) as JsonObject;
  const what = asString(objectsOf(event['subtype'])[0]?.['code']) ?? 'refused';
  const outcome = asString(event['outcome']) ?? 'begun';
  const user = objectsOf(event['agent']).find(({ requestor }) => requestor === true);
  const records = objectsOf(event['entity']).flatMap(({ what, role }) => {
    const isPatient = isObject(role) && role['code'] === '1';
    const reference = isObject(what) && !isPatient ? asString(what['reference']) : undefined;
    return reference === undefined ? [] : [reference];
  });
  const fields = [new Date(recorded).toISOString(), partition, what, outcome, client, nameOf(user)];
  const all = [...fields.map(field => field ?? '-'), patients.join(' ') || '-', records.join(' ') || '-'];
  return all.map(printable).join('\t'); // names of other issuers may contain any character
}

function nameOf(agent: JsonObject | undefined): string | undefined {
  const who = isObject(agent?.['who']) ? agent['who'] : {};
  const identifier = isObject(who['identifier']) ? who['identifier'] : {};
  const name = who['reference'] ?? identifier['value'] ?? agent?.['altId'] ?? who['display'];
  return typeof name === 'string' ? name : undefined;
}

/** Writes events as AuditEvents, one per line. */
export const auditExport = defineCommand({
  details: `AuditEvents of FHIR R4, one per line, in the order of time, to stdout or into a new file. The export is an
event too.

  npm run --silent cli -- audit export --since 2026-11-01 --until 2026-12-01 --out ./november.ndjson`,
  takes: [...storeSettings, 'partition'],
  whenStopped: 'The output is not complete: remove the file and run the same command again.',
  own: [...auditFlags, { flag: 'out', value: 'FILE', read: some, meaning: 'A new file, instead of stdout' }],
  async run({ config, own }) {
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
    });
  },
});

const day = 86_400_000;

/** Deletes whole days only, so that the remaining files are unchanged. */
export const auditPrune = defineCommand({
  details: `Whole days (UTC) before the day of --until; without it, those older than \`audit-days\`, which a server
deletes automatically once an hour. The events of all partitions are deleted. The deletion is an event
too.

  npm run cli -- audit prune --until 2025-11-01`,
  takes: [...storeSettings, 'audit-days'],
  own: [untilFlag],
  async run({ config, own }) {
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
    });
  },
});

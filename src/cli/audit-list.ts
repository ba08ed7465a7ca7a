import { readEvents } from '../audit/read-events.ts';
import { asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { AuditEntry } from '../store/audit/line.ts';
import { audited } from './audited.ts';
import { auditFilter, auditFlags, filterDetails } from './audit-flags.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { printable } from './printable.ts';

/** Lists events, one per line, separated by tabs. */
export const command = defineCommand({
  details: `One line per event, in the order of time: time, partition, action (\`read\`, \`search-type\`, \`create\`,
or the name of a command), outcome, client, user, patients, records. The outcome is 0 (done), 4 (refused),
8 (failed), or \`begun\`. Searches, addresses and the rest are in the output of \`audit export\`. The
listing is an event too.

  npm run --silent cli -- audit list --partition demo --patient ID --since 2026-11-01`,
  takes: [...storeSettings, 'partition'],
  own: auditFlags,
  async run({ config, positionals, own }) {
    noPositionals(positionals);
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
      return exitCodes.done;
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

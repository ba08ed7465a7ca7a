import { isJobInteraction } from '../fhir/interaction.ts';
import type { AuditEntry, AuditFilter } from '../store/audit/line.ts';
import type { AuditLog } from './log/log.ts';
import {
  detailEntity,
  keyEntity,
  patientEntity,
  queryEntity,
  recordEntity,
  requestEntity,
  targetEntity,
} from './entities.ts';
import { actionOf, agentsOf, coding, outcomeOf, printEvent, siteOf, unknownAgent } from './event.ts';
import { parseShortEvent } from './short-event.ts';
import type { ShortEvent } from './short-event.ts';
import { systems } from './systems.ts';

/**
 * The events that match a filter, as AuditEvents, in the order of their time. Events that were stored twice, since a
 * failure was retried, are returned once.
 */
export async function* readEvents(log: AuditLog, filter?: AuditFilter): AsyncIterable<AuditEntry> {
  const recent = new Recent();
  for await (const entry of log.list(filter)) {
    if (!recent.add(idOf(entry.text))) continue;
    const short = parseShortEvent(entry.text);
    yield short === undefined ? entry : { ...entry, text: auditEventOf(entry, short) };
  }
}

/** JSON of the AuditEvent of a short event. https://hl7.org/fhir/R4/auditevent.html */
function auditEventOf({ recorded, partition, client, patients }: AuditEntry, short: ShortEvent): string {
  const { request, id, url, address = '', issuer = url, subject, fhirUser, did, method, status, owner = '' } = short;
  const { records = [], shown, target, key, job, query } = short;
  return printEvent({
    id,
    recorded,
    site: siteOf(url, partition),
    type: coding(systems.type, 'rest'),
    subtype: did === undefined ? undefined : coding(systems.interaction, isJobInteraction(did) ? 'operation' : did),
    action: actionOf(did, method),
    outcome: status === undefined ? undefined : outcomeOf(status),
    outcomeText: status === undefined ? begunText : status < 400 ? undefined : `HTTP status ${status}`,
    agents: client === undefined ? [unknownAgent(address)] : agentsOf({ issuer, client, subject, fhirUser }, address),
    entities: [
      ...patients.map(patient => patientEntity(owner, patient)),
      ...(short.patients === undefined ? [] : [detailEntity({ patients: short.patients })]),
      ...(shown === undefined ? [] : [detailEntity({ records: shown })]),
      ...records.map(recordEntity),
      ...(target === undefined ? [] : [targetEntity(target)]),
      ...(key === undefined ? [] : [keyEntity(key)]),
      ...(job === undefined ? [] : [detailEntity({ job })]),
      ...(query === undefined ? [] : [queryEntity(query)]),
      requestEntity(request),
    ],
  });
}

/** The id of an event, short or whole: no quotes precede it. */
const idOf = (text: string): string => /"id":"([^"]+)"/.exec(text)?.[1] ?? text;

/** The latest ids: twice as many as can wait while events cannot be stored, and more. */
class Recent {
  #new = new Set<string>();
  #old = new Set<string>();

  /** False if the id is known. */
  add(id: string): boolean {
    if (this.#new.has(id) || this.#old.has(id)) return false;
    this.#new.add(id);
    if (this.#new.size >= 100_000) [this.#old, this.#new] = [this.#new, new Set()];
    return true;
  }
}

/** Outcome text of write events without an outcome yet. */
const begunText = 'Begun; another event of the same request has the outcome';

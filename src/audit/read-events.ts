import type { AuditEntry, AuditFilter, AuditLog } from '../store/store.ts';
import { detailEntity, keyEntity, patientEntity, queryEntity, recordEntity, requestEntity, targetEntity } from './entities.ts'; // prettier-ignore
import { actionOf, agentsOf, coding, outcomeOf, printEvent, unknownAgent } from './event.ts';
import { parseShortEvent } from './short-event.ts';
import type { ShortEvent } from './short-event.ts';
import { systems } from './systems.ts';

/** The events that a filter lets through, with their texts as AuditEvents, in the order of their time. */
export async function* readEvents(log: AuditLog, filter?: AuditFilter): AsyncIterable<AuditEntry> {
  for await (const entry of log.list(filter)) {
    const short = parseShortEvent(entry.text);
    yield short === undefined ? entry : { ...entry, text: auditEventOf(entry, short) };
  }
}

/** JSON of the AuditEvent that a short event stands for. https://hl7.org/fhir/R4/auditevent.html */
function auditEventOf({ recorded, partition, client, patients }: AuditEntry, short: ShortEvent): string {
  const { request, id, url, address = '', issuer = url, subject, fhirUser, did, method, status, owner = '' } = short;
  const { records = [], shown, target, key, query } = short;
  return printEvent({
    id,
    recorded,
    site: partition === undefined ? url : `${url}/r4/${partition}`,
    type: coding(systems.type, 'rest'),
    subtype: did === undefined ? undefined : coding(systems.interaction, did),
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
      ...(query === undefined ? [] : [queryEntity(query)]),
      requestEntity(request),
    ],
  });
}

/** What the events of writes say that have not been done yet. */
const begunText = 'Begun; an event of the same request tells how it ended';

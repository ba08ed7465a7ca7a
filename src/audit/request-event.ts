import { randomUUID } from 'node:crypto';
import { ownerType } from '../auth/owned-by.ts';
import { isId } from '../fhir/reference.ts';
import type { Model } from '../model/model.ts';
import type { AuditEntry } from '../store/audit/line.ts';
import type { Extract } from '../indexing/extract.ts';
import { detailEntity, longestQuery, mostNamed, versionReference } from './entities.ts';
import { coding, entryOf, outcomeOf, siteOf, unknownAgent } from './event.ts';
import { createAddPatients } from './patients.ts';
import type { Refusal } from './refusal.ts';
import type { AuditedAnswer, AuditedRequest, BegunWrite } from './request.ts';
import { printShortEvent } from './short-event.ts';
import type { EventOutcome } from './short-event.ts';
import { systems } from './systems.ts';

/** Makes the events of requests. */
export interface RequestEvents {
  /** The event of a request that was answered or refused, at a time in milliseconds since 1970 UTC. */
  answered(request: AuditedRequest, answer: AuditedAnswer, at: number): AuditEntry;
  /** The event of a write that is about to happen, without an outcome. */
  begun(request: AuditedRequest, write: BegunWrite): AuditEntry;
}

/** `publicUrl` is that of the server; `now` returns milliseconds since 1970 UTC. */
export function createRequestEvents(
  model: Model,
  extract: Extract,
  publicUrl: string,
  now: () => number,
): RequestEvents {
  const owner = ownerType(model) ?? '';
  const addPatients = createAddPatients(model, extract, publicUrl);
  /** Ids of the begin events of writes, by the key of their request, until it is answered. */
  const begun = new Map<number, readonly string[]>();

  const make = (
    request: AuditedRequest,
    patients: ReadonlySet<string>,
    recorded: number,
    outcome: EventOutcome,
    id: string = randomUUID(),
  ): AuditEntry => {
    const { access, partition } = request;
    const ids = patients.size > mostNamed ? [...patients].slice(0, mostNamed) : [...patients];
    const text = printShortEvent(id, publicUrl, request, {
      ...outcome,
      owner: ids.length === 0 ? undefined : owner,
      patients: patients.size > mostNamed ? patients.size : undefined,
    });
    const client = access === 'open' ? undefined : access.client;
    return { recorded, partition: partition.id, client, patients: ids, text };
  };

  return {
    answered(request, { status, records, job, patients: others = [] }, at) {
      const { requestKey, partition, resourceType, id, query } = request;
      const begunWrites = requestKey === undefined ? undefined : begun.get(requestKey);
      if (requestKey !== undefined) begun.delete(requestKey);
      const patients = inContext(request);
      for (const record of records) addPatients(patients, record, partition);
      for (const id of others) patients.add(id);
      const isMissed =
        records.length === 0 &&
        resourceType !== undefined &&
        model.types.has(resourceType) &&
        id !== undefined &&
        isId(id);
      return make(request, patients, at, {
        status,
        records: records.slice(0, mostNamed).map(versionReference),
        shown: records.length > mostNamed ? records.length : undefined,
        target: isMissed ? `${resourceType}/${id}` : undefined,
        begun: begunWrites,
        job,
        query: query === undefined || query.length <= longestQuery ? query : `${query.slice(0, longestQuery)}…`,
      });
    },
    begun(request, write) {
      const patients = inContext(request);
      addPatients(patients, write, request.partition);
      const id = randomUUID();
      const { requestKey } = request;
      if (requestKey !== undefined) begun.set(requestKey, [...(begun.get(requestKey) ?? []), id]);
      return make(request, patients, now(), { target: `${write.type}/${write.id}`, key: write.key }, id);
    },
  };
}

/** The event of `count` equal refusals of unauthenticated requests. */
export function refusedEvent(
  publicUrl: string,
  { status, partition, address, count, start, end }: Refusal,
): AuditEntry {
  const event = {
    recorded: end,
    site: siteOf(publicUrl, partition),
    type: rest,
    subtype: undefined,
    action: 'E',
    outcome: outcomeOf(status),
    outcomeText: `HTTP status ${status}`,
    period: { start, end },
    agents: [unknownAgent(address)],
    entities: [detailEntity({ requests: count })],
  } as const;
  return entryOf(event, { partition, client: undefined, patients: [] });
}

const rest = coding(systems.type, 'rest');

/** The patient in context. */
const inContext = ({ access }: AuditedRequest): Set<string> =>
  new Set(access === 'open' || access.patient === undefined ? [] : [access.patient]);

import { ownerType } from '../auth/owned-by.ts';
import { isId } from '../fhir/id.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { Model } from '../model/model.ts';
import type { AuditEntry, Extract } from '../store/store.ts';
import { detailEntity, keyEntity, mostNamed, patientEntity, queryEntity, recordEntity, requestEntity, targetEntity } from './entities.ts'; // prettier-ignore
import { actionOf, agentsOf, coding, entryOf, outcomeOf, unknownAgent } from './event.ts';
import { createAddPatients } from './patients.ts';
import type { AuditedAnswer, AuditedRequest, BegunWrite } from './request.ts';
import { systems } from './systems.ts';

/** Makes the events of requests. */
export interface RequestEvents {
  /** A request that was answered or refused, at a time in milliseconds since 1970 UTC. */
  answered(request: AuditedRequest, answer: AuditedAnswer, at: number): AuditEntry;
  /** A write that is about to happen: it has no outcome yet. */
  begun(request: AuditedRequest, write: BegunWrite): AuditEntry;
  /** As many requests as `count` of nobody who is known, which were refused alike. */
  refused(refusal: Refusal): AuditEntry;
}

export interface Refusal {
  readonly status: number;
  /** Undefined where the path names none that is there. */
  readonly partition: string | undefined;
  /** Empty where there are several. */
  readonly address: string;
  readonly count: number;
  /** From the first to the last, in milliseconds since 1970 UTC. */
  readonly start: number;
  readonly end: number;
}

/** `publicUrl` is that of the server; `now` gives milliseconds since 1970 UTC. */
export function createRequestEvents(
  model: Model,
  extract: Extract,
  publicUrl: string,
  now: () => number,
): RequestEvents {
  const owner = ownerType(model) ?? '';
  const addPatients = createAddPatients(model, extract);
  const siteOf = (partition: string | undefined): string =>
    partition === undefined ? publicUrl : `${publicUrl}/r4/${partition}`;

  const make = (
    request: AuditedRequest,
    patients: ReadonlySet<string>,
    entities: readonly string[],
    status: number | undefined,
    recorded: number,
  ): AuditEntry => {
    const { access, partition, interaction, method, address, requestId } = request;
    const ids = patients.size > mostNamed ? [...patients].slice(0, mostNamed) : [...patients];
    const more = patients.size > mostNamed ? [detailEntity({ patients: patients.size })] : [];
    const event = {
      recorded,
      site: siteOf(partition.id),
      type: rest,
      subtype: interaction === undefined ? undefined : subtypeOf(interaction),
      action: actionOf(interaction, method),
      outcome: status === undefined ? undefined : outcomeOf(status),
      outcomeText: status === undefined ? begunText : status < 400 ? undefined : `HTTP status ${status}`,
      agents: agentsOf(access, address),
      entities: [...ids.map(id => patientEntity(owner, id)), ...more, ...entities, requestEntity(requestId)],
    };
    const client = access === 'open' ? undefined : access.client;
    return entryOf(event, { partition: partition.id, client, patients: ids });
  };

  return {
    answered(request, { status, records }, at) {
      const { partition, resourceType, id, query } = request;
      const patients = inContext(request);
      for (const record of records) addPatients(patients, record, partition);
      const entities = records.length > mostNamed ? [detailEntity({ records: records.length })] : [];
      for (const record of records.slice(0, mostNamed)) entities.push(recordEntity(record));
      if (
        records.length === 0 &&
        resourceType !== undefined &&
        model.types.has(resourceType) &&
        id !== undefined &&
        isId(id)
      )
        entities.push(targetEntity(resourceType, id));
      if (query !== undefined) entities.push(queryEntity(query));
      return make(request, patients, entities, status, at);
    },
    begun(request, write) {
      const patients = inContext(request);
      addPatients(patients, write, request.partition);
      const key = write.key === undefined ? [] : [keyEntity(write.key)];
      return make(request, patients, [targetEntity(write.type, write.id), ...key], undefined, now());
    },
    refused({ status, partition, address, count, start, end }) {
      const event = {
        recorded: end,
        site: siteOf(partition),
        type: rest,
        subtype: undefined,
        action: 'E',
        outcome: outcomeOf(status),
        outcomeText: `HTTP status ${status}`,
        period: { start, end },
        agents: unknownAgent(address),
        entities: [detailEntity({ requests: count })],
      } as const;
      return entryOf(event, { partition, client: undefined, patients: [] });
    },
  };
}

/** What the events of writes say that have not been done yet. */
export const begunText = 'Begun; an event of the same request tells how it ended';

const rest = coding(systems.type, 'rest');

const subtypes = new Map<InteractionCode, string>();

function subtypeOf(interaction: InteractionCode): string {
  let text = subtypes.get(interaction);
  if (text === undefined) subtypes.set(interaction, (text = coding(systems.interaction, interaction)));
  return text;
}

/** The patient whose record the client has open. */
const inContext = ({ access }: AuditedRequest): Set<string> =>
  new Set(access === 'open' || access.patient === undefined ? [] : [access.patient]);

import { randomUUID } from 'node:crypto';
import type { AuditEvent, AuditEventAgent, AuditEventEntity, Coding, Reference } from 'fhir/r4.js';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { AuditEntry } from '../store/audit/line.ts';
import { systems } from './systems.ts';

/** The variable parts of an event. */
export interface Event {
  /** A new one if absent. */
  readonly id?: string;
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  /** The URL of the partition, or of the server. */
  readonly site: string;
  /** The type and the subtype of the event. */
  readonly type: Coding;
  readonly subtype: Coding | undefined;
  readonly action: Action;
  /** Undefined if it is not known yet. */
  readonly outcome: Outcome | undefined;
  readonly outcomeText: string | undefined;
  /** The period, if it represents several requests; milliseconds since 1970 UTC. */
  readonly period?: { readonly start: number; readonly end: number };
  readonly agents: readonly AuditEventAgent[];
  readonly entities: readonly AuditEventEntity[];
}

/** Create, read, update, delete, execute. https://hl7.org/fhir/R4/valueset-audit-event-action.html */
export type Action = NonNullable<AuditEvent['action']>;
/** Success, minor failure, serious failure. https://hl7.org/fhir/R4/valueset-audit-event-outcome.html */
export type Outcome = Exclude<NonNullable<AuditEvent['outcome']>, '12'>;

/**
 * JSON of an event as FHIR has it. https://hl7.org/fhir/R4/auditevent.html, with the codes of
 * https://profiles.ihe.net/ITI/BALP/
 */
export function printEvent({ id = randomUUID(), type, subtype, action, period, outcome, ...event }: Event): string {
  const resource: AuditEvent = {
    resourceType: 'AuditEvent',
    id,
    type,
    subtype: subtype && [subtype],
    action,
    period: period && { start: instant(period.start), end: instant(period.end) },
    recorded: instant(event.recorded),
    outcome,
    outcomeDesc: event.outcomeText,
    agent: [...event.agents],
    source: { observer: { display: event.site } },
    entity: event.entities.length === 0 ? undefined : [...event.entities],
  };
  return JSON.stringify(resource);
}

/** An event with the keys by which it is searched. */
export const entryOf = (
  event: Event,
  { partition, client, patients }: Omit<AuditEntry, 'recorded' | 'text'>,
): AuditEntry => ({
  recorded: event.recorded,
  partition,
  client,
  patients,
  text: printEvent(event),
});

/** The URL of a partition; that of the server for undefined. */
export const siteOf = (url: string, partition: string | undefined): string =>
  partition === undefined ? url : `${url}/r4/${partition}`;

const instant = (time: number): string => new Date(time).toISOString();

export const coding = (system: string, code: string): Coding => ({ system, code });

/** The caller: the client, and the user that it acts for, if any; `issuer` is the authority of their ids. */
export interface Caller {
  readonly issuer: string;
  readonly client: string;
  readonly subject: string | undefined;
  /** A reference. */
  readonly fhirUser?: string | undefined;
}

export function agentsOf({ issuer, client, subject, fhirUser }: Caller, address: string): readonly AuditEventAgent[] {
  const user = subject !== undefined || fhirUser !== undefined;
  const named = (value: string): Reference => ({ identifier: { system: issuer, value } });
  const who = { reference: fhirUser, ...(subject === undefined ? {} : named(subject)) };
  return [
    { type: clientType, who: named(client), requestor: !user, ...networkOf(address) },
    ...(user ? [{ type: userType, who, requestor: true }] : []),
  ];
}

/** An unauthenticated agent with an address only. */
export const unknownAgent = (address: string): AuditEventAgent => ({
  type: clientType,
  who: { display: 'unknown' },
  requestor: true,
  ...networkOf(address),
});

/** https://hl7.org/fhir/R4/valueset-network-type.html: 2 is an IP address. */
export const networkOf = (address: string): Partial<Pick<AuditEventAgent, 'network'>> =>
  address === '' ? {} : { network: { address, type: '2' } };

const clientType = { coding: [coding(systems.dicom, '110153')] };
export const userType = { coding: [coding(systems.participation, 'IRCP')] };

/** The action of an interaction; of an unsupported one by the method. */
export function actionOf(interaction: InteractionCode | undefined, method: string): Action {
  switch (interaction) {
    case 'create':
      return 'C';
    case 'read':
    case 'vread':
    case 'history-instance':
    case 'history-type':
    case 'history-system':
    case 'job-status':
    case 'job-file':
      return 'R';
    case 'update':
    case 'patch':
      return 'U';
    case 'delete':
    case 'job-cancel':
      return 'D';
    case 'operation':
    case 'search-type':
    case 'search-system':
    case 'capabilities':
    case 'batch':
    case 'transaction':
      return 'E';
    case undefined:
      return byMethod[method] ?? 'E';
    default:
      return interaction satisfies never;
  }
}

const byMethod: Readonly<Record<string, Action>> = { GET: 'R', HEAD: 'R', PUT: 'U', PATCH: 'U', DELETE: 'D' };

/** The outcome of an HTTP status; 304 means that the client has the record already. */
export const outcomeOf = (status: number): Outcome => (status < 400 ? '0' : status < 500 ? '4' : '8');

import { randomUUID } from 'node:crypto';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { AuditEntry } from '../store/store.ts';
import { systems } from './systems.ts';

/** What an event says, the rest being the same for all. */
export interface Event {
  /** A new one where it has none. */
  readonly id?: string;
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  /** The URL of the partition, or of the server. */
  readonly site: string;
  /** JSON: the Coding of what kind of event it is, and of what was done exactly. */
  readonly type: string;
  readonly subtype: string | undefined;
  readonly action: Action;
  /** Undefined where it is not known yet. */
  readonly outcome: Outcome | undefined;
  readonly outcomeText: string | undefined;
  /** From when to when, where it stands for several; milliseconds since 1970 UTC. */
  readonly period?: { readonly start: number; readonly end: number };
  /** JSON, separated by commas. */
  readonly agents: string;
  readonly entities: readonly string[];
}

/** Create, read, update, delete, execute. https://hl7.org/fhir/R4/valueset-audit-event-action.html */
export type Action = 'C' | 'R' | 'U' | 'D' | 'E';
/** Success, minor failure, serious failure. https://hl7.org/fhir/R4/valueset-audit-event-outcome.html */
export type Outcome = '0' | '4' | '8';

/**
 * An event as FHIR has it. https://hl7.org/fhir/R4/auditevent.html, with the
 * codes of https://profiles.ihe.net/ITI/BALP/
 */
export function printEvent(event: Event): string {
  const { recorded, outcome, outcomeText, period } = event;
  const subtype = event.subtype === undefined ? '' : `,"subtype":[${event.subtype}]`;
  const between =
    period === undefined ? '' : `,"period":{"start":"${instant(period.start)}","end":"${instant(period.end)}"}`;
  const ended = outcome === undefined ? '' : `,"outcome":"${outcome}"`;
  const text = outcomeText === undefined ? '' : `,"outcomeDesc":${JSON.stringify(outcomeText)}`;
  const entities = event.entities.length === 0 ? '' : `,"entity":[${event.entities.join(',')}]`;
  return (
    `{"resourceType":"AuditEvent","id":"${event.id ?? randomUUID()}","type":${event.type}${subtype},"action":"${event.action}"${between}` +
    `,"recorded":"${instant(recorded)}"${ended}${text},"agent":[${event.agents}],"source":{"observer":{"display":${JSON.stringify(event.site)}}}${entities}}`
  );
}

/** An event together with what it is asked for by. */
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

const instant = (time: number): string => new Date(time).toISOString();

/** JSON of a Coding; what is given needs no escapes. */
export const coding = (system: string, code: string): string => `{"system":"${system}","code":"${code}"}`;

/** Who asks: the client, and the user that it acts for where there is one; whose their ids are. */
export interface Caller {
  readonly issuer: string;
  readonly client: string;
  readonly subject: string | undefined;
  /** A reference. */
  readonly fhirUser: string | undefined;
}

/** JSON of the agents. */
export function agentsOf({ issuer, client, subject, fhirUser }: Caller, address: string): string {
  const hasUser = subject !== undefined || fhirUser !== undefined;
  const named = (value: string): string => `"identifier":${JSON.stringify({ system: issuer, value })}`;
  const own = fhirUser === undefined ? [] : [`"reference":${JSON.stringify(fhirUser)}`];
  const who = [...own, ...(subject === undefined ? [] : [named(subject)])].join(',');
  const user = hasUser ? `,{"type":${userType},"who":{${who}},"requestor":true}` : '';
  return `{"type":${clientType},"who":{${named(client)}},"requestor":${!hasUser}${network(address)}}${user}`;
}

/** Somebody of whom the address is all that is known. */
export const unknownAgent = (address: string): string =>
  `{"type":${clientType},"who":{"display":"unknown"},"requestor":true${network(address)}}`;

const clientType = `{"coding":[${coding(systems.dicom, '110153')}]}`;
const userType = `{"coding":[${coding(systems.participation, 'IRCP')}]}`;

/** https://hl7.org/fhir/R4/valueset-network-type.html: 2 is an IP address. */
const network = (address: string): string =>
  address === '' ? '' : `,"network":{"address":${JSON.stringify(address)},"type":"2"}`;

/** What an interaction does; of what is not offered the method tells. */
export function actionOf(interaction: InteractionCode | undefined, method: string): Action {
  switch (interaction) {
    case 'create':
      return 'C';
    case 'read':
    case 'vread':
    case 'history-instance':
    case 'history-type':
    case 'history-system':
      return 'R';
    case 'update':
    case 'patch':
      return 'U';
    case 'delete':
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

/** Of an HTTP status; 304 says that the client has it already. */
export const outcomeOf = (status: number): Outcome => (status < 400 ? '0' : status < 500 ? '4' : '8');

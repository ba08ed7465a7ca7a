import { hostname, userInfo } from 'node:os';
import type { AuditEventAgent, AuditEventEntity } from 'fhir/r4.js';
import type { AuditEntry } from '../store/audit/line.ts';
import { detailEntity, mostNamed, patientEntity } from './entities.ts';
import { coding, entryOf, siteOf } from './event.ts';
import type { Action, Outcome } from './event.ts';
import { systems } from './systems.ts';

/** The action of a command of the command line. */
export interface CommandAccess {
  /** The words that were typed: `partition remove`. */
  readonly command: string;
  readonly kind: keyof typeof kinds;
  readonly action: Action;
  readonly partition?: string | undefined;
  /** The client that it concerns. */
  readonly client?: string | undefined;
  /** The type and the ids of the owners that it concerns. */
  readonly owner?: string | undefined;
  readonly patients?: Iterable<string>;
  readonly records?: readonly AuditEventEntity[];
  /** Further values by name. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/**
 * https://hl7.org/fhir/R4/valueset-audit-event-type.html: export, import, patient record, user authentication, audit
 * log used, security alert, application activity.
 */
const kinds = {
  export: '110106',
  import: '110107',
  records: '110110',
  token: '110114',
  audit: '110101',
  security: '110113',
  other: '110100',
} as const;

/**
 * The event of a command, without an outcome if the command only begins. Its agent is the user of the operating system.
 */
export function commandEvent(
  publicUrl: string,
  recorded: number,
  access: CommandAccess,
  outcome?: Outcome,
): AuditEntry {
  const { command, kind, action, partition, client, owner = '', records = [], details = {} } = access;
  const all = [...(access.patients ?? [])];
  const patients = all.slice(0, mostNamed);
  const figures = {
    ...details,
    ...(all.length > mostNamed ? { patients: all.length } : {}),
    ...(records.length > mostNamed ? { records: records.length } : {}),
  };
  const event = {
    recorded,
    site: siteOf(publicUrl, partition),
    type: coding(systems.dicom, kinds[kind]),
    subtype: coding(systems.command, command.replaceAll(' ', '-')),
    action,
    outcome,
    outcomeText: outcome === undefined ? 'Begun' : undefined,
    agents: [operatingSystemUser()],
    entities: [
      ...patients.map(id => patientEntity(owner, id)),
      ...records.slice(0, mostNamed),
      ...(Object.keys(figures).length === 0 ? [] : [detailEntity(figures)]),
    ],
  };
  return entryOf(event, { partition, client, patients });
}

/** An action of the server that no request has caused. */
export interface ServerAction {
  /** The words that a command would have: `audit prune`. */
  readonly what: string;
  readonly kind: Extract<keyof typeof kinds, 'audit' | 'other'>;
  readonly outcome: Outcome;
  readonly details: Readonly<Record<string, string | number>>;
}

/** The event of an action of the server, whose agent is the user of the operating system as whom it runs. */
export function serverEvent(
  publicUrl: string,
  recorded: number,
  { what, kind, outcome, details }: ServerAction,
): AuditEntry {
  return commandEvent(publicUrl, recorded, { command: what, kind, action: 'E', details }, outcome);
}

/** https://hl7.org/fhir/R4/valueset-network-type.html: 1 is the name of a machine. */
const operatingSystemUser = (): AuditEventAgent => ({
  type: { coding: [coding(systems.participation, 'AUT')] },
  altId: userName(),
  requestor: true,
  network: { address: hostname(), type: '1' },
});

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // a container may have a user without a name
  }
}

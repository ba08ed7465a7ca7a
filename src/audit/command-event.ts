import { hostname, userInfo } from 'node:os';
import type { AuditEntry } from './log/entry.ts';
import { detailEntity, mostNamed, patientEntity } from './entities.ts';
import { coding, entryOf, siteOf } from './event.ts';
import type { Action, Agent, Entity, Outcome } from './event.ts';
import { systems } from './systems.ts';

/** What a command of the command line did, or is about to do. */
export interface CommandAccess {
  /** As it is typed: `partition remove`. */
  readonly command: string;
  readonly kind: keyof typeof kinds;
  readonly action: Action;
  readonly partition?: string | undefined;
  /** The client that it is for. */
  readonly client?: string | undefined;
  /** The type of those whom it is about, and their ids. */
  readonly owner?: string | undefined;
  readonly patients?: Iterable<string>;
  readonly records?: readonly Entity[];
  /** Figures and names, by what they are. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/** https://hl7.org/fhir/R4/valueset-audit-event-type.html: export, import, patient record, user authentication, audit log used, security alert, application activity. */
const kinds = {
  export: '110106',
  import: '110107',
  records: '110110',
  token: '110114',
  audit: '110101',
  security: '110113',
  other: '110100',
} as const;

/** The event of a command; without an outcome where it is only begun. The user of the operating system is who does it. */
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

/** The event of what the server does by itself. */
export function serverEvent(
  publicUrl: string,
  recorded: number,
  what: string,
  { outcome, details }: { readonly outcome: Outcome; readonly details: Readonly<Record<string, string | number>> },
): AuditEntry {
  return commandEvent(publicUrl, recorded, { command: what, kind: 'audit', action: 'E', details }, outcome);
}

/** https://hl7.org/fhir/R4/valueset-network-type.html: 1 is the name of a machine. */
const operatingSystemUser = (): Agent => ({
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

import type { AuditEventEntity } from 'fhir/r4.js';
import type { StoredVersion } from '../store/port/records.ts';
import { coding } from './event.ts';
import { systems } from './systems.ts';

/** Most records and patients that one event lists; it has their number. */
export const mostNamed = 1_000;
/** Most characters of a search in an event. */
export const longestQuery = 16_384;

/** `Type/id/_history/version`. */
export const versionReference = ({ type, id, version }: Pick<StoredVersion, 'type' | 'id' | 'version'>): string =>
  `${type}/${id}/_history/${version}`;

/** A version of a record that was returned. */
export const recordEntity = (reference: string): AuditEventEntity => ({ what: { reference } });

/** A record that was requested, or is to be written: `Type/id`. */
export const targetEntity = (reference: string): AuditEventEntity => ({ what: { reference }, role: role.record });

/** The owner of records. */
export const patientEntity = (ownerType: string, id: string): AuditEventEntity => ({
  what: { reference: `${ownerType}/${id}` },
  role: role.patient,
});

/** The query of a search. */
export const queryEntity = (query: string): AuditEventEntity => ({
  type: coding(systems.entity, '2'),
  role: role.query,
  query: Buffer.from(query).toString('base64'),
});

/** The request id of the server's log. */
export const requestEntity = (requestId: string): AuditEventEntity => ({
  what: { identifier: { value: requestId } },
  type: coding(systems.basic, 'XrequestId'),
});

/** The digest of the idempotency key. */
export const keyEntity = (key: string): AuditEventEntity => ({
  what: { identifier: { system: systems.key, value: key } },
});

/** Further values by name. */
export const detailEntity = (details: Readonly<Record<string, string | number>>): AuditEventEntity => ({
  detail: Object.entries(details).map(([type, value]) => ({ type, valueString: String(value) })),
});

const role = {
  patient: coding(systems.role, '1'),
  record: coding(systems.role, '4'),
  query: coding(systems.role, '24'),
} as const;

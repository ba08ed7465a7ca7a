import type { StoredVersion } from '../store/store.ts';
import { coding } from './event.ts';
import { systems } from './systems.ts';

/** Most records and patients that one event names; how many there are, it says. */
export const mostNamed = 1_000;
/** Most characters of a search that an event keeps. */
export const longestQuery = 16_384;

/** `Type/id/_history/version`. */
export const versionReference = ({ type, id, version }: Pick<StoredVersion, 'type' | 'id' | 'version'>): string =>
  `${type}/${id}/_history/${version}`;

/** A version of a record that was shown. Ids need no escapes. */
export const recordEntity = (reference: string): string => `{"what":{"reference":"${reference}"}}`;

/** A record that was asked for, or is to be written: `Type/id`. */
export const targetEntity = (reference: string): string =>
  `{"what":{"reference":"${reference}"},"role":${role.record}}`;

/** Somebody whom the records are about. */
export const patientEntity = (ownerType: string, id: string): string =>
  `{"what":{"reference":"${ownerType}/${id}"},"role":${role.patient}}`;

/** The search that was asked for. */
export const queryEntity = (query: string): string =>
  `{"type":${system},"role":${role.query},"query":"${Buffer.from(query).toString('base64')}"}`;

/** The id by which the log of the server names the request. */
export const requestEntity = (requestId: string): string =>
  `{"what":{"identifier":{"value":${JSON.stringify(requestId)}}},"type":${coding(systems.basic, 'XrequestId')}}`;

/** The digest of the key that makes a write repeatable. */
export const keyEntity = (key: string): string =>
  `{"what":{"identifier":{"system":"${systems.key}","value":${JSON.stringify(key)}}}}`;

/** Figures and names, by what they are. */
export function detailEntity(details: Readonly<Record<string, string | number>>): string {
  const all = Object.entries(details).map(([type, value]) => ({ type, valueString: String(value) }));
  return `{"detail":${JSON.stringify(all)}}`;
}

const role = {
  patient: coding(systems.role, '1'),
  record: coding(systems.role, '4'),
  query: coding(systems.role, '24'),
} as const;
const system = coding(systems.entity, '2');

import type { AuditEntry } from '../store/audit/line.ts';
import { detailEntity, patientEntity, requestEntity } from './entities.ts';
import { agentsOf, coding, entryOf, networkOf, outcomeOf, siteOf, userType } from './event.ts';
import { systems } from './systems.ts';

/** The result of a token request of an authenticated client. */
export interface AuthorizationAccess {
  readonly what: 'issued' | 'refused' | 'revoked';
  /** HTTP status of the answer. */
  readonly status: number;
  readonly error: string | undefined;
  readonly grantType: string | undefined;
  readonly scope: string | undefined;
  readonly client: string;
  /** The user that it acts for. */
  readonly user: string | undefined;
  /** Id of the partition of the token. */
  readonly partition: string | undefined;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  readonly address: string;
  readonly requestId: string;
}

/**
 * The event of a token request; it never contains a token or code. `issuer` is the authority of client and user ids,
 * `owner` the type of the owners of records. https://profiles.ihe.net/ITI/BALP/
 */
export function authorizationEvent(
  publicUrl: string,
  owner: string,
  recorded: number,
  access: AuthorizationAccess,
): AuditEntry {
  const { what, status, error, grantType, scope, client, user, partition, patient, address, requestId } = access;
  const details = {
    ...(grantType === undefined ? {} : { grant_type: grantType }),
    ...(scope === undefined ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
  };
  const event = {
    recorded,
    site: siteOf(publicUrl, partition),
    type: coding(systems.dicom, '110114'),
    subtype: coding(systems.authorization, `token-${what}`),
    action: what === 'revoked' ? 'D' : 'C',
    outcome: outcomeOf(status),
    outcomeText: error === undefined ? undefined : `HTTP status ${status}`,
    agents: agentsOf({ issuer: publicUrl, client, subject: user }, address),
    entities: [
      ...(patient === undefined ? [] : [patientEntity(owner, patient)]),
      ...(Object.keys(details).length === 0 ? [] : [detailEntity(details)]),
      requestEntity(requestId),
    ],
  } as const;
  return entryOf(event, { partition, client, patients: patient === undefined ? [] : [patient] });
}

/** A sign-in or sign-out, or a failed one. */
export interface SignInAccess {
  readonly what: 'login' | 'logout';
  /** Id of an existing user, never the typed text, which may be a password. */
  readonly user: string;
  /** HTTP status: 401 for a wrong password, 429 for too many attempts. */
  readonly status: number;
  readonly address: string;
  readonly requestId: string;
}

/** The event of a sign-in. https://dicom.nema.org/medical/dicom/current/output/chtml/part15/sect_A.5.3.11.html */
export function signInEvent(publicUrl: string, recorded: number, access: SignInAccess): AuditEntry {
  const { what, user, status, address, requestId } = access;
  const event = {
    recorded,
    site: publicUrl,
    type: coding(systems.dicom, '110114'),
    subtype: coding(systems.dicom, what === 'login' ? '110122' : '110123'),
    action: 'E',
    outcome: outcomeOf(status),
    outcomeText: status === 429 ? 'Too many attempts' : status >= 400 ? 'The password is wrong' : undefined,
    agents: [
      {
        type: userType,
        who: { identifier: { system: publicUrl, value: user } },
        requestor: true,
        ...networkOf(address),
      },
    ],
    entities: [requestEntity(requestId)],
  } as const;
  return entryOf(event, { partition: undefined, client: undefined, patients: [] });
}

import type { AuditEntry } from '../store/audit/line.ts';
import { requestEntity } from './entities.ts';
import { coding, entryOf, networkOf, outcomeOf, userType } from './event.ts';
import { systems } from './systems.ts';

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

import type { AuditEntry } from './log/entry.ts';
import { requestEntity } from './entities.ts';
import { coding, entryOf, networkOf, outcomeOf, userType } from './event.ts';
import { systems } from './systems.ts';

/** Somebody signed in or out, or failed to. */
export interface SignInAccess {
  readonly what: 'login' | 'logout';
  /** Id of a user who is there: never what was typed, which may be a password. */
  readonly user: string;
  /** As of an answer: 401 for a wrong password, 429 where it was tried too often. */
  readonly status: number;
  readonly address: string;
  readonly requestId: string;
}

/** The event of it. https://dicom.nema.org/medical/dicom/current/output/chtml/part15/sect_A.5.3.11.html */
export function signInEvent(publicUrl: string, recorded: number, access: SignInAccess): AuditEntry {
  const { what, user, status, address, requestId } = access;
  const event = {
    recorded,
    site: publicUrl,
    type: coding(systems.dicom, '110114'),
    subtype: coding(systems.dicom, what === 'login' ? '110122' : '110123'),
    action: 'E',
    outcome: outcomeOf(status),
    outcomeText: status === 429 ? 'Tried too often' : status >= 400 ? 'The password is wrong' : undefined,
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

import { createAccess } from '../../auth/access.ts';
import type { AccessContext } from '../../auth/access.ts';
import { isClinician, parseFhirUser } from '../../auth/fhir-user.ts';
import { ownerType } from '../../auth/owned-by.ts';
import type { RegisteredUser } from '../registered.ts';
import type { Partition } from '../../store/partitions.ts';
import type { PagesParts } from './parts.ts';
import { Problem } from './problem.ts';

/** A user in a partition: what kind of person that is there, and what of the patients is open to that person. */
export interface UserAccess {
  readonly partition: Partition;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  /** The resource type of patients. */
  readonly patientType: string;
  /** `clinician`: chooses among patients; `self`: is one; `other`: neither. */
  readonly is: 'clinician' | 'self' | 'other';
  /** Id of the patient that the user is. */
  readonly own: string | undefined;
  readonly access: AccessContext;
}

/**
 * What a user sees of patients in a partition: as much as an app of this user would, with the scope for patients alone. Throws
 * Problem 404 where the partition is not there (any more), or has no patients.
 */
export async function userAccess(
  { engine, publicUrl }: Pick<PagesParts, 'engine' | 'publicUrl'>,
  {
    client,
    user,
    partition: id,
  }: { readonly client: string; readonly user: RegisteredUser; readonly partition: string },
): Promise<UserAccess> {
  const { model, store, now } = engine;
  const here = user.partitions.find(one => one.id === id);
  const partition = here === undefined ? undefined : await store.partition(id);
  const patientType = ownerType(model);
  if (partition === undefined || patientType === undefined) throw new Problem(404, 'over');
  const base = `${publicUrl}/r4/${id}`;
  const fhirUser = parseFhirUser(here?.fhirUser, base);
  const own = fhirUser?.here === true && fhirUser.resourceType === patientType ? fhirUser.id : undefined;
  const is = own !== undefined ? 'self' : isClinician(fhirUser) ? 'clinician' : 'other';
  const context = own === undefined ? 'user' : 'patient';
  const claims = {
    issuer: publicUrl,
    client,
    subject: user.id,
    scope: `${context}/${patientType}.rs`,
    patient: own,
    fhirUser: here?.fhirUser,
    partition: id,
    expires: now() + 60_000,
  };
  const place = { model, base, zone: partition.settings.zone, now: now() };
  return { partition, base, patientType, is, own, access: createAccess(claims, place) };
}

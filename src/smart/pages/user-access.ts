import { createAccess } from '../../auth/access.ts';
import type { AccessContext } from '../../auth/access.ts';
import { isClinician, parseFhirUser } from '../../auth/fhir-user.ts';
import { ownerType } from '../../auth/owned-by.ts';
import type { RegisteredUser } from '../accounts/registered.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { PagesParts } from './parts.ts';
import { problem } from './visit.ts';

/** A user in a partition: the user's role there, and access to its patients. */
export interface UserAccess {
  readonly partition: Partition;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  /** The resource type of patients. */
  readonly patientType: string;
  /** `clinician`: chooses among patients; `self`: is a patient; `other`: neither. */
  readonly is: 'clinician' | 'self' | 'other';
  /** Id of the patient that the user is. */
  readonly own: string | undefined;
  readonly access: AccessContext;
}

/**
 * A user's access to patients in a partition: that of an app of this user with the scope for patients. Throws Problem
 * 404 if the partition does not exist or has no patients.
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
  if (partition === undefined || patientType === undefined) throw problem(404, 'over');
  const base = `${publicUrl}/r4/${id}`;
  const fhirUser = parseFhirUser(here?.fhirUser, base);
  const own = fhirUser?.here === true && fhirUser.resourceType === patientType ? fhirUser.id : undefined;
  const is = own !== undefined ? 'self' : isClinician(fhirUser, model) ? 'clinician' : 'other';
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

/** The access of a user who may choose a patient, or is one. Throws PageProblem 403 for all others. */
export async function patientAccess(
  parts: Pick<PagesParts, 'engine' | 'publicUrl'>,
  whose: Parameters<typeof userAccess>[1],
): Promise<UserAccess> {
  const who = await userAccess(parts, whose);
  if (who.is === 'other') throw problem(403, 'noPatientAccess');
  return who;
}

import { isId } from '../fhir/reference.ts';
import type { Model } from '../model/model.ts';

/** The user's own resource. */
export interface LocalReference {
  readonly resourceType: string;
  readonly id: string;
  /** Its reference in searches: `Type/id` if it is in the partition, else the absolute URL. */
  readonly reference: string;
  /** True if it is a resource of the partition. */
  readonly here: boolean;
}

/**
 * The resource of a `fhirUser` claim, relative or absolute; `base` is that of the partition. Undefined for anything
 * else. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data
 */
export function parseFhirUser(claim: string | undefined, base: string): LocalReference | undefined {
  if (claim === undefined || claim.length > 1000) return undefined;
  const local = claim.startsWith(`${base}/`) ? claim.slice(base.length + 1) : claim;
  const url = URL.canParse(local) ? new URL(local) : undefined;
  if (url !== undefined && (!/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')) return undefined;
  const segments = (url?.pathname ?? local).split('/');
  const [resourceType = '', id = ''] = segments.slice(-2);
  if (url === undefined && segments.length !== 2) return undefined;
  if (!/^[A-Z][A-Za-z]{0,63}$/.test(resourceType) || !isId(id)) return undefined;
  return { resourceType, id, reference: url === undefined ? `${resourceType}/${id}` : local, here: url === undefined };
}

/**
 * True for users who may have `user/` scopes: those whose resource is of a type for clinicians.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data
 */
export const isClinician = (user: LocalReference | undefined, { clinicians }: Pick<Model, 'clinicians'>): boolean =>
  user !== undefined && clinicians.has(user.resourceType);

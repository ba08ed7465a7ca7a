import { authorizing } from '../../smart/support/server.ts';
import type { Authorizing, AuthorizingOptions } from '../../smart/support/server.ts';

/** A service with an authorization server, and a patient `ann` who has so many conditions, `c0` and so on. */
export function service(conditions: number, options: AuthorizingOptions = {}): Promise<Authorizing> {
  return authorizing({ ...options, resources: Array.from({ length: conditions }, (_, at) => condition(`c${at}`)) });
}

const condition = (id: string): object => ({
  resourceType: 'Condition',
  id,
  clinicalStatus: {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
  },
  code: { text: `Condition ${id}` },
  subject: { reference: 'Patient/ann' },
});

/** What an app asks for that shows and adds to the record of a patient. */
export const scope =
  'launch/patient openid fhirUser offline_access patient/Patient.rs patient/Condition.rs user/Patient.rs user/Media.c';

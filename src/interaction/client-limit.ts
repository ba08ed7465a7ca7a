import { takeOrRefuse } from '../fhir/rate-limited.ts';
import type { Buckets } from '../limits/token-buckets.ts';
import type { ChargeClient } from './interaction.ts';
import { requestCost } from './request-cost.ts';

/**
 * One bucket for each client and user, so that one user of an app does not stop the others. Without access control
 * there are no clients, and nothing is charged.
 */
export function createClientLimit(buckets: Buckets): ChargeClient {
  return request => {
    const { access } = request;
    if (access === 'open') return;
    const { issuer, client, subject = '' } = access;
    takeOrRefuse(buckets, 'client', JSON.stringify([issuer, client, subject]), requestCost(request));
  };
}

import { findStrings } from '../../fhir/find-strings.ts';
import type { Model } from '../../model/model.ts';
import { isDeclared } from '../declared.ts';
import type { Route } from '../routes.ts';

/**
 * The interaction of a Bundle that is sent to the base: the type of the Bundle decides whether it is a batch or a
 * transaction, where the latter is declared. https://hl7.org/fhir/R4/http.html#transaction
 */
export function bundleRoute(model: Model, route: Route, body: Uint8Array | undefined): Route {
  if (route.interaction !== 'batch' || body === undefined) return route;
  if (!isDeclared(model, { ...route, interaction: 'transaction' })) return route;
  const [type] = findStrings(body, ['type'], 1);
  const isTransaction = type !== undefined && Buffer.from(body.subarray(type.from, type.to)).equals(transaction);
  return isTransaction ? { ...route, interaction: 'transaction' } : route;
}

const transaction = Buffer.from('transaction');

import { openidConfigurationOf } from '../../auth/openid-configuration.ts';
import type { Offered } from '../../auth/offered.ts';
import { issuerPath } from '../../auth/offered.ts';
import { smartConfigurationOf } from '../../auth/smart-configuration.ts';
import type { Model } from '../../model/model.ts';
import type { Handler, Respond } from '../context.ts';
import { publicDocument } from './public-document.ts';
import { readMethods } from '../router.ts';
import type { PathRoute } from '../router.ts';

/** The first request of SMART apps. https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known */
export const smartConfigurationPath = '/r4/:partition/.well-known/smart-configuration';

/** The public metadata of a partition. */
export const smartConfiguration = (model: Model, offered: Offered | undefined, respond: Respond): Handler =>
  publicDocument(smartConfigurationOf(model, offered), respond);

/**
 * The discovery document at both of its addresses.
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig and
 * https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
export function discovery(
  offered: Offered,
  sendsIss: () => Promise<boolean> = async () => true,
  respond: Respond,
): readonly PathRoute[] {
  const [whole, without] = [true, false].map(iss => publicDocument(openidConfigurationOf(offered, iss), respond));
  // While the clients cannot be read, it is not promised.
  const handler: Handler = async context => ((await sendsIss().catch(() => false)) ? whole : without)?.(context);
  return [
    { path: `${issuerPath}/.well-known/openid-configuration`, methods: readMethods, handler },
    { path: `/.well-known/oauth-authorization-server${issuerPath}`, methods: readMethods, handler },
  ];
}

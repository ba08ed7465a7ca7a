import { smartConfigurationOf } from '../auth/smart-configuration.ts';
import { fhirError } from '../fhir/error.ts';
import type { Engine } from '../interaction/interaction.ts';
import type { Handler, Respond } from './context.ts';

export const smartConfigurationPath = '/r4/:partition/.well-known/smart-configuration';

/**
 * What SMART apps ask for first: public, for pages of any origin, always plain JSON.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known
 */
export function smartConfiguration({ model }: Engine, respond: Respond): Handler {
  const body = JSON.stringify(smartConfigurationOf(model));
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Access-Control-Allow-Origin': '*' };
  return async context => {
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      throw fhirError(
        405,
        'not-supported',
        `\`${context.method}\` is not offered here; allowed: GET, HEAD.`,
        undefined,
        {
          Allow: 'GET, HEAD',
        },
      );
    }
    await respond(context, { status: 200, body, headers });
  };
}

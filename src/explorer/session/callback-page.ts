import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import { asString } from '../../fhir/json-object.ts';
import { callEndpoint } from '../../smart/provider/call-endpoint.ts';
import { explorerCallback, explorerId } from '../../smart/accounts/explorer-client.ts';
import { findPlace } from '../shell/paths.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { beginSession } from './begin-session.ts';
import { endFlow } from './flow.ts';
import { signInForm } from './sign-in-page.ts';

/**
 * The end of the SMART sign-in: exchanges the code for a token, and begins the session. If the sign-in was refused, it
 * is the sign-in again, with status 403 and the reason. Throws FhirError 400 for a code that this browser did not
 * request, and 404 if the partition does not exist.
 */
export async function callbackPage(visit: Visit): Promise<Reply> {
  const { parts, request, options } = visit;
  const flow = endFlow(visit.cookies, options.get('state'));
  if (flow === undefined || parts.authorized === undefined) throw notBegun();
  const place = await findPlace(parts, /^\/r4\/([^/?]+)|^\/explorer\/([^/?]+)/.exec(flow.to)?.slice(1).find(Boolean));
  const refused = (why: string): Promise<Reply> =>
    signInForm(visit, place, { to: flow.to, status: 403, reason: `The sign-in was refused: ${why}` });
  const [code, error] = [options.get('code'), options.get('error')];
  if (code === null) return refused(options.get('error_description') ?? error ?? 'There is no code.');
  const form = {
    grant_type: 'authorization_code',
    client_id: explorerId,
    redirect_uri: `${parts.publicUrl}${explorerCallback}`,
    code,
    code_verifier: flow.verifier,
  };
  const { server } = await parts.authorized.load();
  const { json } = await callEndpoint(server, '/token', form, request, parts.publicUrl);
  const token = asString(json['access_token']);
  if (token === undefined) return refused(asString(json['error_description']) ?? 'The code is not valid.');
  await beginSession(visit, place, { token, own: true });
  return { kind: 'see', path: flow.to };
}

const notBegun = (): FhirError =>
  fhirError(
    400,
    'invalid',
    'The sign-in has expired, or was begun in another browser. Open the page and sign in again.',
  );

import type { IncomingMessage } from 'node:http';
import { asObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { AuthorizationServer } from '../authorization-server.ts';
import { OAuthError } from './oauth-error.ts';
import { providerRequest } from './provider-request.ts';

const { ServerResponse } = process.getBuiltinModule('node:http');

/**
 * Sends a form to an endpoint for clients without a connection: for a client that runs in this process. `request` is
 * the one that causes it, whose address is audited. Returns status and body of the answer, errors of OAuth too. Throws
 * internal errors.
 */
export async function callEndpoint(
  server: Pick<AuthorizationServer, 'handle'>,
  endpoint: '/token' | '/revoke',
  form: Readonly<Record<string, string>>,
  request: IncomingMessage,
  publicUrl: string,
): Promise<{ readonly status: number; readonly json: JsonObject }> {
  const sent = providerRequest(request, publicUrl, endpoint, new URLSearchParams(form).toString());
  const response = new ServerResponse(sent);
  const chunks: Buffer[] = [];
  // It has no connection: oidc-provider writes its answer in one call.
  response.end = ((chunk: unknown) => {
    if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) chunks.push(Buffer.from(chunk));
    return response;
  }) as typeof response.end;
  try {
    const answer = await server.handle(endpoint, '', sent, response);
    if (answer !== undefined) return { status: 200, json: asObject(answer.body) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { status: error.status, json: { error: error.code, error_description: error.message } };
  }
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, json: text === '' ? {} : asObject(JSON.parse(text)) };
}

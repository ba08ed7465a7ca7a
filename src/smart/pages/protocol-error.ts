import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Brand } from '../../pages/brand.ts';
import { sendReply } from '../../pages/send.ts';
import { problemPage, signInSite } from './site.ts';
import { beginFramed, problem } from './visit.ts';
import type { ProblemName } from './visit.ts';

/** An error of the authorization endpoint that is shown to the user, since it must not be sent to the app. */
export interface ProtocolError {
  readonly status: number;
  /** The code of OAuth, such as `invalid_request`. */
  readonly error: string;
  readonly description: string | undefined;
}

/**
 * Creates the handler that shows such an error on a page: what happened and what to do, with the error itself for app
 * developers. https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 */
export function createProtocolErrorPage(
  publicUrl: string,
  frameAncestors: readonly string[],
  brand: Brand,
): (request: IncomingMessage, response: ServerResponse, error: ProtocolError) => Promise<void> {
  const site = signInSite(publicUrl, frameAncestors, brand);
  return async (request, response, { status, error, description }) => {
    const [path = '', text = ''] = (request.url ?? '').split('?', 2);
    const query = new URLSearchParams(text);
    const languages = (query.get('ui_locales') ?? '').split(' ');
    const visit = beginFramed(publicUrl, request, response, { path, params: {}, query }, languages);
    const failure = problem(status, problemOf(status, error, description ?? ''));
    const { requestId } = visit;
    sendReply(site, visit, problemPage(visit, failure, { details: { code: error, description, requestId } }));
  };
}

function problemOf(status: number, error: string, description: string): ProblemName {
  if (status === 404) return 'notFound';
  if (/redirect_uri/.test(error) || /redirect_uri/.test(description)) return 'wrongReturn';
  if (status === 429) return 'tooMany';
  if (status >= 500) return status === 503 ? 'unavailable' : 'fault';
  if (error === 'invalid_client' || error === 'unauthorized_client') return 'unknownApp';
  if (/session|interaction/.test(description)) return 'over';
  return 'badRequest';
}

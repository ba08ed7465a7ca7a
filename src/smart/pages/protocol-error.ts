import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCookies } from '../../pages/cookies.ts';
import type { Brand } from '../../pages/brand.ts';
import { requestIdOf } from '../../pages/request-id.ts';
import { errorPage } from './error-page.ts';
import { Problem } from './problem.ts';
import type { ProblemName } from './problem.ts';
import { createSend, keepLanguage } from './send.ts';
import { texts } from './texts/index.ts';

/** An error of the authorization endpoint that is shown to the user, since it must not be sent to the app. */
export interface ProtocolError {
  readonly status: number;
  /** As OAuth has it: `invalid_request`. */
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
  const send = createSend(publicUrl, frameAncestors, brand);
  const cookies = createCookies(publicUrl);
  const below = new URL(publicUrl).pathname.replace(/\/$/, '');
  return async (request, response, { status, error, description }) => {
    const [path = '', text = ''] = (request.url ?? '').split('?', 2);
    const query = new URLSearchParams(text);
    const language = keepLanguage(cookies, request, response, query, (query.get('ui_locales') ?? '').split(' '));
    const link = (to: string): string => `${below}${to}`;
    const visit = {
      request,
      response,
      path,
      query,
      language,
      texts: texts[language],
      cookies,
      link,
      user: undefined,
      sessionSecret: undefined,
    };
    const problem = new Problem(status, problemOf(status, error, description ?? ''));
    send(visit, errorPage(visit, problem, { code: error, description, requestId: requestIdOf(response) }));
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

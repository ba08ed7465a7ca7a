import type { AuditedRequest } from '../audit/request.ts';
import { FhirError } from '../fhir/error.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import { dispatch } from './dispatch.ts';
import type { Engine, FhirResponse, Route, SentRequest, StreamAnswer } from './interaction.ts';
import { routeOfPath } from './routes.ts';

/** Who visits a page, and the partition that it shows. */
export type PageVisitor = Pick<SentRequest, 'access' | 'partition' | 'base' | 'requestId' | 'address'>;

/** How a page requests: by GET without headers, unless it says otherwise. A request has no body. */
export type PageRequest = Partial<Pick<SentRequest, 'method' | 'headers'>>;

/**
 * Requests a path below the base URL, as a client of the FHIR interface would, with the rights of a visitor: the same
 * decisions about path, scope, access and rate limits, and an audit event. Throws FhirError.
 */
export async function requestFromPage(
  engine: Engine,
  visitor: PageVisitor,
  target: string,
  { method = 'GET', headers = {} }: PageRequest = {},
): Promise<FhirResponse> {
  engine.audit.require(); // no audit event would show the request
  const { access, partition, base, requestId, address } = visitor;
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const sent = { access, partition, base, requestId, address, method, headers };
  let route: Partial<Route> = {}; // for the audit of a refusal
  const audit = (status: number, { records = [], job, patients }: Partial<FhirResponse> = {}): void => {
    const { resourceType, id, interaction } = route;
    const audited = { ...sent, resourceType, id, interaction, query: query === '' ? undefined : target };
    engine.audit.answered(audited satisfies AuditedRequest, { status, records, job: job ?? route.job, patients });
  };
  try {
    const found = routeOfPath(engine.model, method, path, query);
    route = found;
    const response = await dispatch(engine, { ...sent, ...found, parameters: parsePairs(query) });
    if (response.stream !== undefined)
      return { ...response, stream: atEnd(response.stream, () => audit(response.status, response)) };
    audit(response.status, response);
    return response;
  } catch (error) {
    audit(error instanceof FhirError ? error.status : 500);
    throw error;
  }
}

/** An answer that is made while it is sent: its records are known at its end, or when its client leaves. */
function atEnd({ contentType, parts }: StreamAnswer, end: () => void): StreamAnswer {
  const made = parts[Symbol.asyncIterator]();
  let isEnded = false;
  const finish = (): void => {
    if (!isEnded) end();
    isEnded = true;
  };
  const watched: AsyncIterator<string | Uint8Array> = {
    async next() {
      let isDone: boolean | undefined = true;
      try {
        const part = await made.next();
        isDone = part.done;
        return part;
      } finally {
        if (isDone === true) finish();
      }
    },
    async return() {
      finish();
      await made.return?.();
      return { done: true, value: undefined };
    },
  };
  return { contentType, parts: { [Symbol.asyncIterator]: () => watched } };
}

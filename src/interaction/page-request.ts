import type { AuditedRequest } from '../audit/request.ts';
import { FhirError } from '../fhir/error.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import { dispatch } from './dispatch.ts';
import type { Engine, FhirResponse, Route, SentRequest } from './interaction.ts';
import { routeOfPath } from './routes.ts';

/** Who visits a page, and the partition that it shows. */
export type PageVisitor = Pick<SentRequest, 'access' | 'partition' | 'base' | 'requestId' | 'address'>;

/**
 * Requests a path below the base URL by GET, as a client of the FHIR interface would, with the rights of a visitor: the
 * same decisions about path, scope, access and rate limits, and an audit event. Throws FhirError.
 */
export async function requestFromPage(engine: Engine, visitor: PageVisitor, target: string): Promise<FhirResponse> {
  engine.audit.require(); // no audit event would show the request
  const { access, partition, base, requestId, address } = visitor;
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const sent = { access, partition, base, requestId, address, method: 'GET', headers: {} };
  let route: Partial<Route> = {}; // for the audit of a refusal
  const audit = (status: number, records: FhirResponse['records'] = []): void => {
    const { resourceType, id, interaction } = route;
    const audited = { ...sent, resourceType, id, interaction, query: query === '' ? undefined : target };
    engine.audit.answered(audited satisfies AuditedRequest, { status, records });
  };
  try {
    const found = routeOfPath(engine.model, 'GET', path, query);
    route = found;
    const response = await dispatch(engine, { ...sent, ...found, parameters: parsePairs(query) });
    audit(response.status, response.records);
    return response;
  } catch (error) {
    audit(error instanceof FhirError ? error.status : 500);
    throw error;
  }
}

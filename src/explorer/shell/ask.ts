import type { Access } from '../../auth/access.ts';
import { requireScope } from '../../auth/may.ts';
import { tokenMissing } from '../../auth/refusals.ts';
import { FhirError } from '../../fhir/error.ts';
import { asObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { dispatch } from '../../interaction/dispatch.ts';
import type { Engine, FhirResponse } from '../../interaction/interaction.ts';
import { createPaths } from '../../interaction/paths.ts';
import { resolveRoute, shapePaths } from '../../interaction/routes.ts';
import type { Route, Shape } from '../../interaction/routes.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { VisitedPartition } from './paths.ts';

/** The answer of the FHIR interface. */
export interface InterfaceAnswer {
  readonly status: number;
  /** The JSON as text, and parsed; an empty object without a body. */
  readonly text: string;
  readonly json: JsonObject;
  readonly response: FhirResponse;
}

export type Ask = (target: string) => Promise<InterfaceAnswer>;

/** The visitor of a page. */
export interface Asker {
  readonly place: VisitedPartition | undefined;
  /** Undefined without a signed-in visitor; `refused` is the reason, if the token was rejected. */
  readonly access: Access | undefined;
  readonly refused: FhirError | undefined;
  readonly requestId: string;
  readonly address: string;
}

const findShape = createPaths(shapePaths.map((shape): [string, Shape] => [shape, shape]));

/**
 * Requests JSON by GET as a client of the FHIR interface would, with the rights of a visitor: the same path, scope,
 * access and rate limit checks, and an audit event for each request. Throws FhirError.
 */
export function createAsk(engine: Engine, asker: Asker): Ask {
  const { place, access, refused, requestId, address } = asker;
  return async target => {
    engine.audit.require(); // no audit event would show the request
    if (place === undefined) throw new FhirError(404, [{ severity: 'error', code: 'not-found', text: noPlace }]);
    const { partition, base } = place;
    if (access === undefined) {
      const error = refused ?? tokenMissing(base);
      engine.audit.refused(error.status, partition.id, address);
      throw error;
    }
    const [path = '', query = ''] = target.split(/\?(.*)/s);
    const audited = { requestId, address, access, partition, method: 'GET', query: query === '' ? undefined : target };
    let asked: Partial<Route> = {}; // for the audit of a refusal
    try {
      const found = findShape(`/r4/${partition.id}${path === '' ? '' : `/${path}`}`);
      const route = resolveRoute(engine.model, found?.value ?? '/r4/:partition/*', 'GET', found?.params ?? {});
      asked = route;
      requireScope(access, engine.model, route, base);
      const request = { ...audited, ...route, base, parameters: parsePairs(query), headers: {} };
      const response = await dispatch(engine, request);
      engine.audit.answered(request, { status: response.status, records: response.records ?? [] });
      const text = response.body ?? '';
      let json: JsonObject | undefined;
      return {
        status: response.status,
        text,
        response,
        // Pages that need the digits of numbers parse the text themselves.
        get json() {
          return (json ??= text === '' ? {} : asObject(JSON.parse(text)));
        },
      };
    } catch (error) {
      const status = error instanceof FhirError ? error.status : 500;
      engine.audit.answered({ ...asked, ...audited }, { status, records: [] });
      throw error;
    }
  };
}

const noPlace = 'This page belongs to no partition. FHIR is under `/r4/{partition}`.';

import type { Access } from '../../auth/access.ts';
import { tokenMissing } from '../../auth/refusals.ts';
import { FhirError } from '../../fhir/error.ts';
import { asObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Engine, FhirResponse } from '../../interaction/interaction.ts';
import { requestFromPage } from '../../interaction/page-request.ts';
import type { PageRequest } from '../../interaction/page-request.ts';
import type { VisitedPartition } from './paths.ts';

/** The answer of the FHIR interface. */
export interface InterfaceAnswer {
  readonly status: number;
  /** The JSON as text, and parsed; an empty object without a body. */
  readonly text: string;
  readonly json: JsonObject;
  readonly response: FhirResponse;
}

export type Ask = (target: string, how?: PageRequest) => Promise<InterfaceAnswer>;

/** The visitor of a page. */
export interface Asker {
  readonly place: VisitedPartition | undefined;
  /** Undefined without a signed-in visitor; `refused` is the reason, if the token was rejected. */
  readonly access: Access | undefined;
  readonly refused: FhirError | undefined;
  readonly requestId: string;
  readonly address: string;
}

/** Requests JSON with the rights of a visitor, as a client of the FHIR interface would. Throws FhirError. */
export function createAsk(engine: Engine, asker: Asker): Ask {
  const { place, access, refused, requestId, address } = asker;
  return async (target, how) => {
    if (place === undefined) throw new FhirError(404, [{ severity: 'error', code: 'not-found', text: noPlace }]);
    if (access === undefined) {
      engine.audit.require(); // no audit event would show the request
      const error = refused ?? tokenMissing(place.base);
      engine.audit.refused(error.status, place.partition.id, address);
      throw error;
    }
    const response = await requestFromPage(engine, { ...place, access, requestId, address }, target, how);
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
  };
}

const noPlace = 'This page belongs to no partition. FHIR is under `/r4/{partition}`.';

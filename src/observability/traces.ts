import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span, Tracer } from '@opentelemetry/api';

/** The properties of an answered request that a span may have: never a query, an id or a name. */
export interface TracedRequest {
  readonly method: string;
  /** The pattern of the path. */
  readonly route: string | undefined;
  readonly interaction: string;
  readonly type: string;
  readonly status: number;
}

/** Spans for the SDK that the operator has registered; without one they do nothing. */
export interface Traces {
  /** Runs a request in a span whose parent the headers name; `answered` describes it at its end. */
  request(headers: Headers, answered: () => TracedRequest, work: () => Promise<unknown>): Promise<unknown>;
  /** Runs a call of the store in a span of its own. */
  storeCall<T>(operation: string, call: () => Promise<T>): Promise<T>;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Creates spans with the names and attributes of the conventions for servers.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function createTraces(version: string): Traces {
  const tracer: Tracer = trace.getTracer('clinical-records-service', version);
  return {
    request(headers, answered, work) {
      const parent = propagation.extract(context.active(), headers);
      return tracer.startActiveSpan('HTTP', { kind: SpanKind.SERVER }, parent, span =>
        within(span, work, () => {
          const { method, route, interaction, type, status } = answered();
          span.updateName(route === undefined ? method : `${method} ${route}`);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          const attributes: Attributes = {
            'http.request.method': method,
            'http.response.status_code': status,
            'fhir.interaction': interaction,
            'fhir.resource_type': type,
          };
          if (route !== undefined) attributes['http.route'] = route;
          span.setAttributes(attributes);
        }),
      );
    },
    storeCall: (operation, call) =>
      tracer.startActiveSpan(`store ${operation}`, { kind: SpanKind.INTERNAL }, span => within(span, call)),
  };
}

/** Ends a span after its work. An error is marked without its text, which may quote a record. */
async function within<T>(span: Span, work: () => Promise<T>, finish = (): void => {}): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    finish();
    span.end();
  }
}

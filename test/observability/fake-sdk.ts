// A small SDK of OpenTelemetry: what a registered one does with the API for spans.
import { AsyncLocalStorage } from 'node:async_hooks';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api';

/** A span that has ended. */
export interface EndedSpan {
  readonly id: string;
  readonly name: string;
  /** The id of the span in which it was started, or that of `traceparent`. */
  readonly parent: string | undefined;
  readonly traceId: string;
  readonly kind: number | undefined;
  readonly attributes: Attributes;
  readonly failed: boolean;
}

/** Registers it. `ended` has the spans in the order of their ends; `remove` restores the state before. */
export function registerSdk(): { readonly ended: EndedSpan[]; remove(): void } {
  const ended: EndedSpan[] = [];
  let number = 0;
  const startSpan = (name: string, { kind, attributes = {} }: SpanOptions = {}, parent: Context): Span => {
    const above = trace.getSpanContext(parent);
    const id = String(++number).padStart(16, '0');
    const traceId = above?.traceId ?? String(number).padStart(32, '0');
    const state = { name, attributes: { ...attributes }, failed: false };
    const span = {
      spanContext: () => ({ traceId, spanId: id, traceFlags: 1 }),
      setAttributes: (more: Attributes) => (Object.assign(state.attributes, more), span),
      setAttribute: (key: string, value: string) => ((state.attributes[key] = value), span),
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: ({ code }: { code: number }) => ((state.failed = code === 2), span),
      updateName: (next: string) => ((state.name = next), span),
      end: () => void ended.push({ id, parent: above?.spanId, traceId, kind, ...state }),
      isRecording: () => true,
      recordException: () => {},
    };
    return span;
  };
  const startActiveSpan = (name: string, ...rest: readonly unknown[]): unknown => {
    const work = rest.at(-1) as (span: Span) => unknown; // the last argument of each form
    const parent = rest.length === 3 ? (rest[1] as Context) : context.active();
    const span = startSpan(name, rest[0] as SpanOptions, parent);
    return context.with(trace.setSpan(parent, span), () => work(span));
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) });
  const storage = new AsyncLocalStorage<Context>();
  const manager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (of: Context, work: (...values: unknown[]) => unknown, self: unknown, ...values: unknown[]) =>
      storage.run(of, () => work.call(self, ...values)),
    bind: (_of: Context, target: unknown) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager as Parameters<typeof context.setGlobalContextManager>[0]);
  propagation.setGlobalPropagator({
    inject: () => {},
    fields: () => ['traceparent'],
    // https://www.w3.org/TR/trace-context/#traceparent-header
    extract(of, carrier, getter) {
      const [, traceId = '', spanId = ''] = String(getter.get(carrier, 'traceparent')).split('-');
      return spanId === '' ? of : trace.setSpanContext(of, { traceId, spanId, traceFlags: 1, isRemote: true });
    },
  });
  return {
    ended,
    remove() {
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

import { requireScope } from '../auth/may.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { Partition } from '../store/port/partitions.ts';
import { createBatch } from './bundle/batch.ts';
import { createTransaction } from './bundle/transact.ts';
import { isDeclared } from './declared.ts';
import { interactions } from './index.ts';
import type { Engine, FhirRequest, FhirResponse } from './interaction.ts';
import { undeclaredText } from './undeclared.ts';
import { throwStoreFailure } from './store-failure.ts';

/**
 * The single entry point of every interaction, for requests and for entries of a Bundle: rejects undeclared
 * interactions, then those without a scope; then runs the interaction, on `opened` if that is given. Throws FhirError
 * 405 and 403.
 * https://hl7.org/fhir/R4/http.html
 */
export async function dispatch(engine: Engine, request: FhirRequest, opened?: Partition): Promise<FhirResponse> {
  const { interaction } = request;
  if (!isDeclared(engine.model, request) || !isServed(interaction)) {
    const reason = undeclaredText(engine.model, request);
    throw fhirError(405, 'not-supported', `The interaction ${interaction} is not supported: ${reason}`);
  }
  requireScope(request.access, engine.model, request, request.base);
  engine.chargeClient?.(request);
  try {
    const partition = opened ?? (await engine.store.partition(request.partition.id));
    if (partition === undefined) throw noPartition(request.partition.id);
    const answer = await handlers[interaction](engine, request, partition);
    if (answer.body !== undefined && !isCounted.has(interaction)) request.room?.take(answer.body.length);
    return answer;
  } catch (error) {
    return throwStoreFailure(error);
  }
}

/** Answers whose entries are counted, or whose records the request has brought. */
const isCounted: ReadonlySet<InteractionCode> = new Set(['batch', 'transaction', 'create', 'update', 'patch']);

/** A partition that is removed during a request. */
const noPartition = (id: string): FhirError => fhirError(404, 'not-found', `There is no partition \`${id}\`.`);

const isServed = (code: InteractionCode): code is keyof typeof handlers => Object.hasOwn(handlers, code);

/** By interaction; the entries of Bundles are dispatched one by one. */
export const handlers = { ...interactions, batch: createBatch(dispatch), transaction: createTransaction(dispatch) };

import { requireScope } from '../auth/may.ts';
import type { InteractionCode, JobInteraction } from '../fhir/interaction.ts';
import type { ServedInteraction } from '../model/interactions.ts';
import { createBatch } from './bundle/batch.ts';
import { createTransaction } from './bundle/transaction.ts';
import type { Dispatch, FhirRequest, Interaction, ReceivedParts } from './interaction.ts';
import { handlingOf } from './controls.ts';
import { throwStoreFailure } from './answer-of.ts';
import { capabilities } from './capabilities.ts';
import { create } from './create.ts';
import { remove } from './delete/delete.ts';
import { jobCancel, jobFile, jobStatus } from './jobs.ts';
import { history } from './history/history.ts';
import { operation } from './operation/index.ts';
import { patch } from './patch/patch.ts';
import { read, vread } from './read.ts';
import { search } from './search/search.ts';
import { update } from './update.ts';

/**
 * The single entry point of every interaction: of HTTP requests, of pages and of the entries of a Bundle. Decides once
 * whether the scopes allow the request, and the handling of its parameters; then receives the rest of it, if `receive`
 * is given, charges it to its client and runs the interaction. The route is a declared one (routes.ts), the partition
 * an opened one, whose definitions apply from here on. Throws FhirError, 403 without a scope.
 * https://hl7.org/fhir/R4/http.html
 */
export const dispatch: Dispatch = async (server, sent, receive) => {
  const { model } = sent.partition.definitions;
  const engine = model === server.model ? server : server.in(sent.partition);
  requireScope(sent.access, engine.model, sent, sent.base);
  const handling = handlingOf(sent.headers['prefer'], engine.handling);
  try {
    const request: FhirRequest =
      receive === undefined ? { ...sent, handling } : withParts({ ...sent, handling }, await receive(handling));
    const { interaction } = request;
    engine.chargeClient?.(request);
    const answer = await handlers[interaction](engine, request, request.partition);
    if (answer.body !== undefined && !isCounted.has(interaction)) request.room?.take(answer.body.length);
    return answer;
  } catch (error) {
    return throwStoreFailure(error);
  }
};

const withParts = (request: FhirRequest, { bundle, ...parts }: ReceivedParts): FhirRequest => ({
  ...request,
  ...parts,
  interaction: bundle ?? request.interaction,
});

/** Answers whose entries are counted, or whose records the request has brought. */
const isCounted: ReadonlySet<InteractionCode> = new Set(['batch', 'transaction', 'create', 'update', 'patch']);

/**
 * Every interaction that the engine implements (model/interactions.ts); the definitions select those that it serves.
 * The entries of Bundles are dispatched one by one.
 */
export const handlers: Readonly<
  Record<ServedInteraction | JobInteraction | 'capabilities' | 'operation', Interaction>
> = {
  batch: createBatch(dispatch),
  capabilities,
  create,
  delete: remove,
  'history-instance': history,
  'history-system': history,
  'history-type': history,
  'job-cancel': jobCancel,
  'job-file': jobFile,
  'job-status': jobStatus,
  operation,
  patch,
  read,
  'search-system': search,
  'search-type': search,
  transaction: createTransaction(dispatch),
  update,
  vread,
};

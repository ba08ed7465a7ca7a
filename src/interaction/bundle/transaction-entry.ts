import type { Dispatch, FhirRequest, SentRequest } from '../interaction.ts';
import type { BatchEntry } from './batch-entry.ts';

/** An entry of a transaction with its request, whose links are not resolved yet. */
export interface TransactionEntry extends BatchEntry {
  readonly request: SentRequest;
}

/** What the attempts of a transaction share. */
export interface Course {
  readonly dispatch: Dispatch;
  readonly transaction: FhirRequest;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

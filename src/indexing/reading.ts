import type { Receive, ResultType } from '../fhirpath/extract/expression.ts';
import type { Model, SearchParam } from '../model/model.ts';
import type { IndexValue } from './entry.ts';

/** The current resource of an extraction. */
export interface Reading {
  resource: object;
  /** IANA zone of dateTimes without one. */
  zone: string;
}

/** The part of the model that extraction needs: the types, and the meaning of codes. */
export type Meanings = Pick<Model, 'definitions' | 'caseSensitive' | 'valueSetSystem'>;

/** The part of a parameter that extraction needs: its search type, its modifier, and the types of all its elements. */
export type Read = Pick<SearchParam, 'type' | 'reads' | 'dataTypes' | 'indexedPaths'>;

/** Receives one value of a parameter. */
export type Emit = (value: IndexValue) => void;

/**
 * Maps values of a FHIR type to values of a search type: returns the function that receives each of them; undefined if
 * the search type has no meaning for them. An invalid value emits nothing.
 */
export type Entries = (
  type: ResultType,
  emit: Emit,
  reading: Reading,
  model: Meanings,
  param: Read,
) => Receive | undefined;

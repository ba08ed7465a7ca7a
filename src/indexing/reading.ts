import type { Receive, ResultType } from '../fhirpath/extract/expression.ts';
import type { Model, SearchParam } from '../model/model.ts';
import type { IndexValue } from './entry.ts';

/** What is known of the resource whose entries are being made; changes from one resource to the next. */
export interface Reading {
  resource: object;
  /** IANA zone of dateTimes without one. */
  zone: string;
}

/** What reading needs of the model: the types, and what is known of codes. */
export type Meanings = Pick<Model, 'definitions' | 'caseSensitive' | 'valueSetSystem'>;

/** What reading needs of a parameter: its search type, and the types of all its elements. */
export type Read = Pick<SearchParam, 'type' | 'dataTypes'>;

/** Takes one value of a parameter. */
export type Emit = (value: IndexValue) => void;

/**
 * Says how values of a FHIR type become values of a search type: the function that takes each of them; undefined where
 * the search type has no meaning for them. A value that cannot be read emits nothing.
 */
export type Entries = (
  type: ResultType,
  emit: Emit,
  reading: Reading,
  model: Meanings,
  param: Read,
) => Receive | undefined;

import { compileExpression } from '../fhirpath/extract/expression.ts';
import type { Receive, ResultType } from '../fhirpath/extract/expression.ts';
import type { SearchParamType } from '../model/model.ts';
import { containedEntries } from './contained.ts';
import { dateEntries } from './date.ts';
import { fullTextEntries, stringEntries } from './string.ts';
import { insideEntries } from './inside.ts';
import { numberEntries } from './number.ts';
import { otherReferenceEntries } from './other-references.ts';
import { phoneticEntries } from './phonetic.ts';
import { quantityEntries } from './quantity.ts';
import type { Emit, Entries, Meanings, Read, Reading } from './reading.ts';
import { referenceEntries } from './reference.ts';
import { referenceIdentifierEntries } from './reference-identifier.ts';
import { specialEntries } from './special.ts';
import { tokenEntries } from './token.ts';
import { tokenTextEntries } from './token-text.ts';
import { typedIdentifierEntries } from './typed-identifier.ts';
import { uriEntries } from './uri.ts';
import { versionEntries } from './versions.ts';

/** The extractors of search types; `composite` combines these (composite.ts). */
const searchTypes: Readonly<Record<Exclude<SearchParamType, 'composite'>, Entries>> = {
  token: tokenEntries,
  string: stringEntries,
  reference: referenceEntries,
  date: dateEntries,
  number: numberEntries,
  quantity: quantityEntries,
  uri: uriEntries,
  special: specialEntries,
};

/** The extractors of parameters that read other values than their search type. */
const others: Readonly<Record<NonNullable<Read['reads']>, Entries>> = {
  text: tokenTextEntries,
  ofType: typedIdentifierEntries,
  identifier: referenceIdentifierEntries,
  words: fullTextEntries,
  contained: containedEntries,
  inside: insideEntries,
  otherReferences: otherReferenceEntries,
  phonetic: phoneticEntries,
  versions: versionEntries,
};

function extractorOf({ type, reads }: Read): Entries | undefined {
  if (reads !== undefined) return others[reads];
  return type === 'composite' ? undefined : searchTypes[type];
}

/**
 * The extractor of values of a FHIR type for a parameter; undefined if the two are incompatible. An extension is
 * indexed by its value. https://hl7.org/fhir/R4/search.html#ptypes
 */
export function entriesOf(
  param: Read,
  type: ResultType,
  emit: Emit,
  reading: Reading,
  model: Meanings,
): Receive | undefined {
  const entries = extractorOf(param);
  if (entries === undefined) return undefined;
  if (type.code !== 'Extension') return entries(type, emit, reading, model, param);
  const values = compileExpression('value', type, model.definitions);
  const run = values.bind(held => entries(held, emit, reading, model, param));
  return value => {
    if (typeof value === 'object' && value !== null) run(value, reading.resource);
  };
}

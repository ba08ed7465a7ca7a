import { expect, it } from 'vitest';
import { entriesOf } from '../../src/indexing/index.ts';
import type { ResultType } from '../../src/fhirpath/extract/expression.ts';
import { takesInstead } from '../../src/model/search-types.ts';
import { meanings } from './read.ts';

it.each(['number', 'date', 'string', 'token', 'reference', 'quantity', 'uri'] as const)(
  'a parameter of type %s is refused where it would read nothing of what its expression gives, and only there',
  searchType => {
    const dataTypes = (
      'Address Age Annotation Attachment BackboneElement CodeableConcept Coding ContactPoint Count Distance ' +
      'Duration HumanName Identifier Money Period Quantity Range Ratio Reference SampledData Timing ' +
      'base64Binary boolean canonical code date dateTime decimal id instant integer markdown oid ' +
      'positiveInt string time unsignedInt uri url uuid'
    ).split(' ');
    const reading = { resource: {}, zone: 'UTC', base: '' };
    for (const code of dataTypes) {
      const type: ResultType = { code, path: code, definition: undefined, element: undefined, many: false };
      const param = { type: searchType, reads: undefined, dataTypes: new Set([code]) };
      const reads = entriesOf(param, type, () => {}, reading, meanings) !== undefined;
      expect([code, takesInstead(searchType, new Set([code])) === undefined]).toEqual([code, reads]);
    }
  },
);

import type { JsonObject } from '../fhir/json-object.ts';
import type { RequestHeaders } from '../interaction/interaction.ts';
import type { Source } from './source.ts';

/** Each answer has the header Accept. */
export type HeaderName = Exclude<keyof RequestHeaders, 'accept'>;

const headers: Readonly<Record<HeaderName, { name: string; description: string; example: string }>> = {
  'if-match': { name: 'If-Match', description: 'The version that is changed, else 412.', example: 'W/"1"' },
  'if-none-match': { name: 'If-None-Match', description: 'The version that the client has: 304.', example: 'W/"1"' },
  'if-modified-since': {
    name: 'If-Modified-Since',
    description: 'The Last-Modified of the version that the client has: 304.',
    example: 'Thu, 01 Jan 2026 00:00:00 GMT',
  },
  'if-unmodified-since': {
    name: 'If-Unmodified-Since',
    description: 'Without If-Match: the Last-Modified of the version that is changed; 412 if a later one exists.',
    example: 'Thu, 01 Jan 2026 00:00:00 GMT',
  },
  'if-none-exist': {
    name: 'If-None-Exist',
    description: 'A search; nothing is created if a record matches.',
    example: 'identifier=http://example.org/ids|123',
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: 'The same request with the same key gets the first answer again, for 24 hours.',
    example: 'b1f0c7de-1',
  },
  'accept-language': {
    name: 'Accept-Language',
    description: 'The languages of displays, where no parameter names them.',
    example: 'fr, en;q=0.5',
  },
  prefer: {
    name: 'Prefer',
    description: '`return=minimal`, `return=representation` or `return=OperationOutcome`; `handling=lenient`.',
    example: 'return=representation',
  },
};

/** The references to request headers as parameters. https://hl7.org/fhir/R4/http.html#Http-Headers */
export const headerParameters = (names: readonly HeaderName[], { components }: Source): readonly JsonObject[] =>
  names.map(key => {
    const { name, description, example } = headers[key];
    return components.share('parameters', name, () => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
      example,
    }));
  });

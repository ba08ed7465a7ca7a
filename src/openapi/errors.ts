import type { JsonObject } from '../fhir/json-object.ts';
import { operationOutcome } from '../fhir/outcome.ts';
import { fhirContent, header } from './responses.ts';
import { typeSchema } from './schemas.ts';
import type { Source } from './source.ts';

/** The errors of single interactions; `default` is every other one. */
const descriptions = {
  304: 'The client has this version: If-None-Match or If-Modified-Since.',
  400: 'The request is not valid: an unknown parameter, a value that cannot be parsed, JSON that is not strict.',
  404: 'There is no such record, or none that the caller may see.',
  405: 'There is no such record, and an update creates none.',
  409: 'The write conflicts with other records.',
  410: 'The record was deleted.',
  412: 'Another version than that of If-Match is current, or several records match.',
  422: 'The resource breaks rules of R4 or of its profiles, or an Idempotency-Key was used with another body.',
} as const;

/** https://hl7.org/fhir/R4/http.html#Status-Codes */
export type ErrorStatus = keyof typeof descriptions;

/** The responses of an interaction that fails: those with a status of its own, and `default`. */
export const errorResponses = (statuses: readonly ErrorStatus[], source: Source): JsonObject => ({
  ...Object.fromEntries(statuses.map(status => [status, errorResponse(status, source)])),
  default: source.components.share('responses', 'default', () => ({
    description:
      'Any other error: 401 without a valid token, 403 without a scope or for a search that costs too much, 406, 413 ' +
      'for a body above its size limit, 414, 415 for another Content-Type, 429 for too many requests, 500, and 503.',
    headers: {
      'WWW-Authenticate': header('WWW-Authenticate', 'With 401 and 403: why the token was rejected.', source),
      'Retry-After': header('Retry-After', 'With 429 and 503: the seconds to wait.', source),
    },
    ...outcome(source),
  })),
});

const errorResponse = (status: ErrorStatus, source: Source): JsonObject =>
  source.components.share('responses', `${status}`, () => ({
    description: descriptions[status],
    ...(status === 304 ? {} : outcome(source)),
  }));

const outcome = (source: Source): JsonObject =>
  fhirContent(
    typeSchema('OperationOutcome', source),
    source.components.share('examples', 'error', () => ({
      value: operationOutcome([
        {
          severity: 'error',
          code: 'not-supported',
          text: 'The search parameter `nmae` is unknown. Did you mean `name`?',
          expression: 'http.nmae',
        },
      ]),
    })),
  );

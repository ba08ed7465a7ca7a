import type { JsonObject } from '../fhir/json-object.ts';
import type { ErrorStatus } from './errors.ts';
import type { HeaderName } from './headers.ts';
import type { Field } from './search-fields.ts';

/** What a call takes and returns, before it is an Operation Object. */
export interface Description {
  /** A phrase without a point. */
  readonly summary: string;
  readonly fields?: readonly Field[];
  /** True if the fields are sent as a form. */
  readonly isForm?: boolean;
  readonly headers?: readonly HeaderName[];
  readonly body?: JsonObject;
  /** Answers by status. */
  readonly responses: Readonly<Record<number, JsonObject>>;
  readonly errors: readonly ErrorStatus[];
}

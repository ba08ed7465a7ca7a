/** An expression to be run by fhirpath.js. Objects of one request keep their identity on the way to the worker. */
export interface Job {
  readonly expression: string;
  readonly focus: Focus;
  /** `%resource` and `%rootResource`. */
  readonly resource: object;
  readonly rootResource: object;
  /**
   * What `resolve()` yields: for an index only a resource of the type that the reference names, whose content nobody
   * asks for; for a rule the contained resource, and for any other target the expression fails.
   */
  readonly resolve: 'type' | 'contained';
}

/** The value that an expression is evaluated on. */
export interface Focus {
  readonly value: unknown;
  /** Of a primitive: the object with its extensions. */
  readonly sibling?: unknown;
  /** FHIR type code: `Quantity`, `BackboneElement`, `Patient`. */
  readonly code: string;
  /** The type that has its elements: `Quantity`, `Patient.contact`, `Patient`. */
  readonly type: string;
}

export type Answer =
  | { readonly kind: 'results'; readonly results: readonly Result[] }
  /** fhirpath.js does not take the expression, or not on this value. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'late'; readonly milliseconds: number };

/** One result: where it stands in what was sent, or a value that was computed, as JSON. */
export interface Result {
  /** FHIR type code, of computed values that of FHIRPath's own type in small letters: `boolean`. */
  readonly type: string;
  readonly place?: { readonly of: 'focus' | 'resource'; readonly steps: readonly (string | number)[] };
  readonly value?: unknown;
}

/** What a worker is sent; it answers each job by itself, in order. */
export interface Request {
  readonly id: number;
  readonly jobs: readonly Job[];
}

export interface Reply {
  readonly id: number;
  readonly answer: Answer;
}

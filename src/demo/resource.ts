/** A resource as it will be printed; that its elements are right is checked by its tests against the definitions of R4. */
export interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly [element: string]: unknown;
}

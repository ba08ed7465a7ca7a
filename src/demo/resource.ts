/** A resource for printing; tests check its elements against the definitions of R4. */
export interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly [element: string]: unknown;
}

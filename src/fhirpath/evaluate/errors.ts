/** The budget of the checks is exhausted. */
export class TooCostly extends Error {}

/** The expression cannot be decided with the loaded definitions; the message names what is missing. */
export class Undecided extends Error {}

/**
 * This evaluator does not implement the construct exactly as the standard defines it; fhirpath.js does. Thrown at
 * compile time for a construct, and at run time for values; the message names it.
 */
export class Delegated extends Undecided {}

/** FHIRPath's own run-time error, such as several values instead of one. */
export class EvaluationError extends Error {}

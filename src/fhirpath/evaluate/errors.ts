/** Checking this any further would take too long. */
export class TooCostly extends Error {}

/** The expression cannot be decided with what is loaded here; what was asked for is the message. */
export class Undecided extends Error {}

/**
 * This form cannot evaluate the expression exactly as the standard says; fhirpath.js does. Thrown while an expression
 * is compiled for a construct, and while it runs for values; the message says which.
 */
export class Delegated extends Undecided {}

/** FHIRPath's own error while an expression runs, such as several values where one is asked for. */
export class EvaluationError extends Error {}

/**
 * The implemented parts of R4: `interaction/index.ts` and `interaction/operation/index.ts` implement exactly these. A
 * definition that declares another one prevents the start. https://hl7.org/fhir/R4/http.html
 */
export const servedInteractions = [
  'batch',
  'create',
  'delete',
  'history-instance',
  'history-system',
  'history-type',
  'read',
  'search-system',
  'search-type',
  'transaction',
  'update',
  'vread',
] as const;

/** Operations by code. https://hl7.org/fhir/R4/operations.html */
export const servedOperations = ['validate'] as const;

export type ServedInteraction = (typeof servedInteractions)[number];
export type ServedOperation = (typeof servedOperations)[number];

/** `` `create`, `read` ``, for problems. */
export const quotedCodes = (codes: readonly string[]): string => codes.map(code => `\`${code}\``).join(', ');

/**
 * The implemented interactions of R4: `interaction/index.ts` implements exactly these. A definition that declares
 * another one prevents the start. https://hl7.org/fhir/R4/http.html
 */
export const servedInteractions = [
  'batch',
  'create',
  'delete',
  'history-instance',
  'history-system',
  'history-type',
  'patch',
  'read',
  'search-system',
  'search-type',
  'update',
  'vread',
] as const;

export type ServedInteraction = (typeof servedInteractions)[number];

/** `` `create`, `read` ``, for problems. */
export const quotedCodes = (codes: readonly string[]): string => codes.map(code => `\`${code}\``).join(', ');

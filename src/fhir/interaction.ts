/** The restful interactions of R4 on a type. https://hl7.org/fhir/R4/valueset-type-restful-interaction.html */
export const typeInteractions = [
  'read',
  'vread',
  'update',
  'patch',
  'delete',
  'history-instance',
  'history-type',
  'create',
  'search-type',
] as const;

/**
 * The restful interactions of R4 on the whole system. https://hl7.org/fhir/R4/valueset-system-restful-interaction.html
 */
export const systemInteractions = ['transaction', 'batch', 'search-system', 'history-system'] as const;

export type TypeInteraction = (typeof typeInteractions)[number];
export type SystemInteraction = (typeof systemInteractions)[number];

/** The requests for a job that an operation has started. https://hl7.org/fhir/R4/async.html */
export type JobInteraction = 'job-status' | 'job-cancel' | 'job-file';

/** Any interaction; `capabilities` needs no declaration, and operations are declared by their definitions. */
export type InteractionCode = TypeInteraction | SystemInteraction | JobInteraction | 'capabilities' | 'operation';

export const isJobInteraction = (code: string): code is JobInteraction => code.startsWith('job-');

import { isContained } from './contained.ts';
import { isInclude } from './include.ts';
import { isControlName } from './result-parameters.ts';

/**
 * Whether a parameter is a criterion: it decides which records match. The others decide what is returned, or search
 * something else; alone they would leave a query that every record matches. https://hl7.org/fhir/R4/search.html#return
 */
export const isCriterion = (name: string): boolean =>
  !isControlName(name.split(':')[0] ?? '') && !isInclude(name) && !isContained(name);

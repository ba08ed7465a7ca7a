import { isExactObject } from '../../fhir/exact-json.ts';
import type { ExactJson } from '../../fhir/exact-json.ts';
import { maxLevels } from '../../fhir/json.ts';
import { TooCostly } from '../../fhirpath/evaluate/errors.ts';
import type { Budget } from '../../fhirpath/evaluate/environment.ts';
import { unprocessable } from './failure.ts';
import type { OperationPlace } from './failure.ts';

/** Operations of one patch. */
export const mostOperations = 1_000;

/** Budget of one patch: values that its operations copy and that its paths visit. */
export const patchBudget = 500_000;

/**
 * Spends the cost of a value that an operation places `levels` deep: each value in it, and sixteen characters, one.
 * Throws FhirError 422 beyond the budget, and for a value that makes the record too deep.
 */
export function payForPlacing(value: ExactJson, levels: number, budget: Budget, place: OperationPlace): void {
  const visit = (one: ExactJson, level: number): void => {
    if (level > maxLevels) throw unprocessable(place, `The record would nest more than ${maxLevels} levels deep.`);
    budget.spend(1 + (typeof one === 'string' ? one.length / 16 : 0));
    if (Array.isArray(one)) for (const item of one) visit(item, level + 1);
    if (!isExactObject(one)) return;
    // The library for JSON Patch omits it without an error.
    if (Object.hasOwn(one, '__proto__'))
      throw unprocessable(place, 'No element is named `__proto__`.', '', 'structure');
    for (const own of Object.values(one)) visit(own, level + 1);
  };
  within(place, () => visit(value, levels));
}

/** Runs a part of an operation. Throws FhirError 422 if it exceeds the budget. */
export function within<T>(place: OperationPlace, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error;
    throw unprocessable(place, 'The patch is too costly; send several patches, or an update.', '', 'too-costly');
  }
}

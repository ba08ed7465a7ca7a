import { TooCostly } from './errors.ts';
import type { Budget } from './environment.ts';
import type { Item } from './item.ts';

/**
 * Spends the cost of comparing values: each value in an object costs as much as four visited values, and a hundred
 * characters of a text as one.
 */
export function payFor(items: readonly Item[], budget: Budget): void {
  budget.spend(items.length < 2 ? items.length : 4 * items.length);
  for (const item of items) {
    if (typeof item === 'string') budget.spend(item.length / 100);
    else if (typeof item === 'object' && item.kind === 'node') payForValue(item.value, budget);
  }
}

function payForValue(value: unknown, budget: Budget): void {
  if (typeof value === 'string') budget.spend(value.length / 100);
  if (typeof value !== 'object' || value === null) return;
  budget.spend(4);
  for (const part of Object.values(value)) payForValue(part, budget);
  if (Array.isArray(value)) budget.spend(4 * value.length);
}

/** Maximum length of a text that an expression builds: more than a record has. */
const longest = 10_000_000;

/** Spends the cost of building a text of this length. Throws TooCostly, also for a text over the maximum. */
export function payForText(length: number, budget: Budget): void {
  if (length > longest) throw new TooCostly('text');
  budget.spend(length / 1000);
}

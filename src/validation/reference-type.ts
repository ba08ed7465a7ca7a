import { isObject } from '../definitions/json-object.ts';
import { parseReference } from '../fhir/reference.ts';
import { shorten } from './report.ts';
import type { Report } from './report.ts';

/** What a type of an element says about references. */
export interface ReferenceRule {
  /** Resource types that may be named; empty means any. */
  readonly targets: readonly string[];
  /** How the target may be there; empty or undefined means any. */
  readonly aggregation?: readonly string[];
}

/**
 * Reports a Reference whose text names a type that its element does not take, or that stands within the resource where that
 * is not allowed. https://hl7.org/fhir/R4/references.html#literal
 */
export function checkReferenceType(value: unknown, { targets, aggregation = [] }: ReferenceRule, report: Report): void {
  const text = isObject(value) ? value['reference'] : undefined;
  if (typeof text !== 'string') return;
  const reference = parseReference(text);
  report.path.push('reference');
  if (reference?.kind === 'contained' && aggregation.length > 0 && !aggregation.includes('contained')) {
    report.add('value', `\`${shorten(text)}\` is a contained resource; this must name one that has its own place.`);
  } else if (
    (reference?.kind === 'relative' || reference?.kind === 'absolute') &&
    targets.length > 0 &&
    !targets.includes(reference.type)
  ) {
    const allowed = targets.map(target => `\`${target}/…\``).join(', ');
    report.add('value', `\`${shorten(text)}\` names a type that does not fit here: it must be ${allowed}.`);
  }
  report.path.pop();
}

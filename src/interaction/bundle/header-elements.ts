import type { Issue } from '../../fhir/outcome.ts';

/** The elements of an entry that headers of a separate request correspond to, by the expression of the header. */
const elementOf: Readonly<Record<string, string>> = {
  'http."If-None-Exist"': 'request.ifNoneExist',
  'http."If-Match"': 'request.ifMatch',
  'http."If-None-Match"': 'request.ifNoneMatch',
};

/**
 * The place in an entry of what an expression names as a header; undefined for other expressions.
 * https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request
 */
export const headerElement = (expression: string): string | undefined => elementOf[expression];

/** Issues of an entry with the places of its headers in the Bundle; others keep those of a separate request. */
export const withHeaderElements = (issues: readonly Issue[], index: number): readonly Issue[] =>
  issues.map(issue => {
    const element = issue.expression === undefined ? undefined : headerElement(issue.expression);
    return element === undefined ? issue : { ...issue, expression: `Bundle.entry[${index}].${element}` };
  });

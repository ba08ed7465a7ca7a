import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { checkExpression } from './expression.ts';
import type { Place } from './place.ts';
import type { Loaded, ReportFinding, WrittenElement } from './profile.ts';
import { valuesOfType } from './values.ts';

export interface ConstraintContext {
  /** The type that the profile constrains. */
  readonly type: string;
  /** Keys (`constraintKey`) of the constraints of the base: some of R4 itself are wrong. */
  readonly given: ReadonlySet<string>;
}

const constraintKey = (key: unknown, expression: unknown): string => `${String(key)} ${String(expression)}`;

/** The keys of all constraints of a snapshot. */
export const constraintKeys = (elements: readonly JsonObject[]): ReadonlySet<string> =>
  new Set(
    elements
      .flatMap(element => objectsOf(element['constraint']))
      .map(({ key, expression }) => constraintKey(key, expression)),
  );

/**
 * The constraints whose expression has mistakes, except those of the base, and those with the key of another.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.constraint
 */
export function checkConstraints(
  element: WrittenElement,
  place: Place,
  { type, given }: ConstraintContext,
  { types }: Loaded,
  report: ReportFinding,
): void {
  // `%resource` in elements of a contained resource is that resource; on `contained` itself it is the one around it.
  const isResource = types.get(type)?.kind === 'resource' && !/\.(contained|resource)\./.test(element.path);
  const resource = isResource ? valuesOfType(type, types) : undefined;
  const keys = objectsOf(element.json['constraint']).map(({ key }) => asString(key));
  objectsOf(element.json['constraint']).forEach(({ key, expression }, index) => {
    const name = asString(key);
    if (name !== undefined && keys.indexOf(name) < index)
      report(
        element,
        `constraint[${index}].key`,
        `Another constraint of the element has the key \`${name}\`; give each its own.`,
      );
    const text = asString(expression);
    if (text === undefined || given.has(constraintKey(key, text))) return;
    for (const { text: problem, undecided } of checkExpression(text, types, { context: place.values, resource }))
      report(element, `constraint[${index}].expression`, `The constraint \`${String(key)}\`: ${problem}`, undecided);
  });
}

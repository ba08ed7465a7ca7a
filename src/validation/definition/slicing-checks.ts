import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { parseExpression } from '../../fhirpath/parse.ts';
import type { Expression } from '../../fhirpath/syntax.ts';
import { checkExpression } from './expression.ts';
import type { ElementPlace } from './place.ts';
import type { Loaded, ReportFinding, WrittenElement } from './profile.ts';

/**
 * Discriminators whose path does not exist, or uses more than the restricted FHIRPath that R4 allows.
 * https://hl7.org/fhir/R4/profiling.html#discriminator
 */
export function checkDiscriminators(
  element: WrittenElement,
  place: ElementPlace,
  { types }: Loaded,
  report: ReportFinding,
): void {
  objectsOf(asObject(element.json['slicing'])['discriminator']).forEach(({ path }, index) => {
    const text = asString(path);
    if (text === undefined) return; // the structure check reports it
    const at = `slicing.discriminator[${index}].path`;
    const found = checkExpression(text, types, { context: place.values });
    for (const { text: problem, undecided } of found) report(element, at, `The discriminator: ${problem}`, undecided);
    const call = found.length === 0 ? otherCall(parseExpression(text)) : undefined;
    if (call !== undefined)
      report(
        element,
        at,
        `The discriminator \`${text}\` calls \`${call}()\`; it may call \`extension()\`, \`ofType()\` and ` +
          `\`resolve()\` alone.`,
      );
  });
}

/** The first function that a discriminator must not call; a path is a chain of steps. */
function otherCall(tree: Expression): string | undefined {
  if (tree.kind === 'call' && !allowed.has(tree.name)) return tree.name;
  return 'of' in tree && tree.of !== undefined ? otherCall(tree.of) : undefined;
}

const allowed = new Set(['extension', 'ofType', 'as', 'resolve']);

/**
 * An element below a slice that no element defines: the generated snapshot has no such slice where the items are not
 * sliced. https://hl7.org/fhir/R4/profiling.html#slicing
 */
export function checkSliceAbove(
  element: WrittenElement,
  byId: ReadonlyMap<string, JsonObject>,
  report: ReportFinding,
): void {
  if (!element.at.startsWith('differential.')) return;
  const steps = element.id.split('.');
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const [name = '', slice] = step.split(':');
    if (slice === undefined || slicedByNature.test(name)) continue;
    const above = steps.slice(0, index).join('.');
    if (!byId.has(`${above}.${name}`) || byId.has(`${above}.${step}`)) continue;
    report(
      element,
      'id',
      `The id names the slice \`${slice}\` of \`${above}.${name}\`, which no element defines, so this would apply to ` +
        `all of them; add the element \`${above}.${step}\` with its \`sliceName\`, and a \`slicing\` with a ` +
        `\`discriminator\` to \`${above}.${name}\`.`,
    );
  }
}

/** Extensions and choices. */
const slicedByNature = /\[x\]$|^(modifierE|e)xtension$/;

/**
 * A slice without a `sliceName`, and a slice of an element without slicing: its items could not be matched. Extensions
 * are sliced by url and choices by type implicitly. https://hl7.org/fhir/R4/profiling.html#slicing
 */
export function checkSlice(
  element: WrittenElement,
  byId: ReadonlyMap<string, JsonObject>,
  report: ReportFinding,
): void {
  const slice = asString(element.json['sliceName']);
  const name = element.path.slice(element.path.lastIndexOf('.') + 1);
  const named = /:([^.:]+)$/.exec(element.id)?.[1];
  // The path `Observation.valueQuantity` is of one type, also if its id is `Observation.value[x]:valueQuantity`.
  if (slice === undefined && named !== undefined && element.id.endsWith(`.${name}:${named}`))
    report(
      element,
      'sliceName',
      `The id names the slice \`${named}\`, and \`sliceName\` is missing, so this would apply to all of ` +
        `\`${element.path}\`; write \`"sliceName": "${named}"\`.`,
    );
  if (slice === undefined || slice.includes('/') || slicedByNature.test(name)) return;
  const sliced = byId.get(element.id.replace(/:[^.:]*$/, ''));
  if (sliced === undefined || sliced['slicing'] !== undefined || sliced['max'] === '1') return;
  report(
    element,
    'sliceName',
    `\`${element.path}\` has no \`slicing\`, so items cannot be matched to the slice \`${slice}\`; give ` +
      `\`${element.path}\` a \`slicing\` with a \`discriminator\`.`,
  );
}

/**
 * Slices that together require more items than their element may have: no record could meet this. `byId` has the
 * elements of the snapshot. https://hl7.org/fhir/R4/profiling.html#slice-cardinality
 */
export function checkSliceMinima(
  elements: readonly WrittenElement[],
  byId: ReadonlyMap<string, JsonObject>,
  report: ReportFinding,
): void {
  const slices = [...byId].filter(([id, json]) => /:[^.:/]+$/.test(id) && Number(json['min'] ?? 0) > 0);
  for (const [sliced, of] of Map.groupBy(slices, ([id]) => id.replace(/:[^.:/]+$/, ''))) {
    const least = of.reduce((sum, [, json]) => sum + Number(json['min']), 0);
    const max = asString(byId.get(sliced)?.['max']) ?? '*';
    const ids = new Set([sliced, ...of.map(([id]) => id)]);
    const written = elements.filter(({ id }) => ids.has(id));
    const element = written.find(({ id }) => id === sliced) ?? written[0];
    if (max === '*' || least <= Number(max) || element === undefined) continue;
    const names = of.map(([id]) => `\`${id.slice(sliced.length + 1)}\``).join(', ');
    const text = `The slices ${names} require ${least} items, and \`${sliced}\` has at most ${max}: no record could`;
    report(element, element.id === sliced ? 'max' : 'min', `${text} meet this.`, true);
  }
}

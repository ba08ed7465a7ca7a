import { isProfile } from '../../definitions/definition.ts';
import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { printSnapshotProblem } from '../../model/snapshot/snapshot.ts';
import { checkBinding, checkCardinality, checkLoosened, checkTypes, checkValueTypes } from './element-checks.ts';
import { placeOf } from './place.ts';
import type { ElementPlace } from './place.ts';
import { writtenElements } from './profile.ts';
import type { Finding, Loaded, ReportFinding, WrittenElement } from './profile.ts';
import { checkDiscriminators, checkSlice, checkSliceAbove, checkSliceMinima } from './slicing-checks.ts';
import { checkExpression } from './expression.ts';
import { valuesOfType } from './values.ts';

/**
 * The mistakes in the head of an extension: a fixed url that is not its own, with which no value could conform, and a
 * context that R4 does not have, which is a warning. https://hl7.org/fhir/R4/defining-extensions.html
 */
function checkExtensionHead(structure: JsonObject, { types }: Loaded): readonly Finding[] {
  if (structure['type'] !== 'Extension') return [];
  return [...wrongUrl(structure), ...unknownContexts(structure, types)];
}

function* wrongUrl(structure: JsonObject): Generator<Finding> {
  const url = asString(structure['url']);
  if (structure['baseDefinition'] !== extension) return; // a profile of another extension has the url of that
  for (const list of ['differential', 'snapshot'])
    for (const [index, element] of objectsOf(asObject(structure[list])['element']).entries()) {
      const fixed = element['path'] === 'Extension.url' ? asString(element['fixedUri']) : undefined;
      if (fixed === undefined || fixed === url) continue;
      const text = `The url of the extension is fixed to \`${fixed}\`; write its own, \`${url ?? ''}\`.`;
      yield { path: `${list}.element[${index}].fixedUri`, text, undecided: false };
    }
}

function* unknownContexts(structure: JsonObject, types: Loaded['types']): Generator<Finding> {
  for (const [index, { type, expression }] of objectsOf(structure['context']).entries()) {
    const path = asString(expression) ?? '';
    if (type !== 'element' || !/^[A-Z]\w*(\.\w+(\[x\])?)*$/.test(path)) continue; // a slice, or another kind of place
    const name = path.split('.')[0] ?? '';
    if (types.get(name) === undefined) {
      // Later releases have names for groups of types, such as `CanonicalResource`.
      const meant = didYouMean(name, types.resourceTypes);
      if (meant !== '') yield contextFinding(index, `There is no type \`${name}\`.${meant}`);
      continue;
    }
    const { missing } = placeOf(path, name, types);
    if (missing === undefined) continue;
    const owners = missing.owners.join(', ');
    yield contextFinding(
      index,
      `There is no element \`${missing.name}\` in ${owners}.${didYouMean(missing.name, missing.known)}`,
    );
  }
}

const extension = 'http://hl7.org/fhir/StructureDefinition/Extension';

const contextFinding = (index: number, problem: string): Finding => ({
  path: `context[${index}].expression`,
  text: `${problem} The extension is allowed only where a context is.`,
  undecided: true,
});

interface ConstraintContext {
  /** The type that the profile constrains. */
  readonly type: string;
  /** Keys (`constraintKey`) of the constraints of the base: some of R4 itself are wrong. */
  readonly given: ReadonlySet<string>;
}

const constraintKey = (key: unknown, expression: unknown): string => `${String(key)} ${String(expression)}`;

/** The keys of all constraints of a snapshot. */
const constraintKeys = (elements: readonly JsonObject[]): ReadonlySet<string> =>
  new Set(
    elements
      .flatMap(element => objectsOf(element['constraint']))
      .map(({ key, expression }) => constraintKey(key, expression)),
  );

/**
 * The constraints whose expression has mistakes, except those of the base, and those with the key of another.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.constraint
 */
function checkConstraints(
  element: WrittenElement,
  place: ElementPlace,
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

/**
 * The mistakes in a profile, each with its place and the id of its element. Questions that the loaded definitions leave
 * open are not mistakes. https://hl7.org/fhir/R4/profiling.html
 */
export function checkProfile(structure: JsonObject, canonical: string, loaded: Loaded): readonly Finding[] {
  const { types, snapshots } = loaded;
  const type = asString(structure['type']);
  if (type === undefined || structure['kind'] === 'logical') return [];
  // A specialization is not a profile; a definition that does not state its derivation is checked.
  if (structure['derivation'] === 'specialization' && !isProfile(structure)) return [];
  if (types.get(type) === undefined) {
    const text = `There is no type \`${type}\` in FHIR R4.${didYouMean(type, types.resourceTypes)}`;
    return [{ path: 'type', text, undecided: false }];
  }
  const snapshot = snapshots(canonical);
  const elements = writtenElements(structure, snapshot?.elements ?? []);
  const byId = new Map((snapshot?.elements ?? []).map(element => [asString(element['id']) ?? '', element]));
  const ofBase = snapshots(asString(structure['baseDefinition']) ?? '')?.elements ?? [];
  const inherited = new Map(ofBase.map(element => [asString(element['id']) ?? '', element]));
  const given = constraintKeys(ofBase);
  const findings: Finding[] = [];
  const report: ReportFinding = ({ id, at }, below, text, undecided = false) =>
    void findings.push({ path: `${at}.${below}`, text: `\`${id}\`: ${text}`, undecided });
  const misplaced = new Set<string>();
  for (const element of elements) {
    const place = placeOf(element.path, type, types);
    checkCardinality(element, report);
    checkBinding(element, loaded, report);
    checkLoosened(element, inherited, report);
    if (place.missing !== undefined) {
      const { name, owners, known } = place.missing;
      const where =
        owners.length === 0 ? `The profile is of ${type}` : `There is no element \`${name}\` in ${owners.join(', ')}`;
      const isAbove = [...misplaced].some(id => isWithin(element.id, id));
      misplaced.add(element.id);
      if (!isAbove) report(element, 'path', `${where}.${didYouMean(name, known)}`);
      continue;
    }
    checkTypes(element, place, loaded, report);
    checkValueTypes(element, place, loaded, report);
    checkDiscriminators(element, place, loaded, report);
    checkSlice(element, byId, report);
    checkSliceAbove(element, byId, report);
    checkConstraints(element, place, { type, given }, loaded, report);
  }
  checkSliceMinima(elements, byId, report);
  return [
    ...headFindings(structure, type, loaded),
    ...checkExtensionHead(structure, loaded),
    ...repeatedElements(elements),
    ...findings,
    ...snapshotFindings(structure, canonical, elements, misplaced, loaded),
  ];
}

/** Elements with the id of an earlier one, which alone counts. */
function repeatedElements(elements: ReturnType<typeof writtenElements>): readonly Finding[] {
  const first = new Map<string, string>();
  return elements.flatMap(({ json, at }) => {
    const id = asString(json['id']);
    if (id === undefined) return [];
    const before = first.get(id);
    if (before === undefined) first.set(id, at);
    const text = `\`${id}\`: Another element, ${before ?? ''}, has this id; write what both require in one.`;
    return before === undefined ? [] : [{ path: `${at}.id`, text, undecided: false }];
  });
}

/** The mistakes outside of the elements. */
function headFindings(structure: JsonObject, type: string, { snapshots }: Loaded): readonly Finding[] {
  const baseDefinition = asString(structure['baseDefinition']);
  if (baseDefinition === undefined) {
    const text =
      `The profile has no \`baseDefinition\`; write \`http://hl7.org/fhir/StructureDefinition/${type}\`, ` +
      'or the profile that it narrows.';
    return [{ path: 'baseDefinition', text, undecided: false }];
  }
  if (structure['differential'] === undefined && structure['snapshot'] === undefined) {
    const text = 'The profile has neither `differential` nor `snapshot`; write what it requires in `differential`.';
    return [{ path: 'differential', text, undecided: false }];
  }
  const base = snapshots(baseDefinition);
  if (base === undefined || base.type === type) return [];
  const text = `The profile is of ${type}, its base \`${baseDefinition}\` of ${base.type}; they must be of one type.`;
  return [{ path: 'type', text, undecided: false }];
}

/** The parts of a differential that cannot be applied; mistakes of its base are reported with the base. */
function snapshotFindings(
  structure: JsonObject,
  canonical: string,
  elements: ReturnType<typeof writtenElements>,
  misplaced: ReadonlySet<string>,
  { snapshots }: Loaded,
): readonly Finding[] {
  const base = snapshots(asString(structure['baseDefinition']) ?? '');
  const known = new Set(base?.elements.length === 0 ? [] : base?.problems);
  const own = snapshots(canonical);
  return (own?.problems ?? [])
    .filter(problem => !known.has(problem) && ![...misplaced].some(id => isWithin(id, problem.element)))
    .map(problem => {
      const at = elements.find(({ id }) => id === problem.element)?.at ?? 'differential';
      const path = own?.elements.length === 0 ? 'baseDefinition' : at;
      return { path, text: printSnapshotProblem(canonical, problem), undecided: problem.undecided === true };
    });
}

/** Whether an element is another one, a slice of it, or below it, by their ids. */
const isWithin = (id: string, other: string): boolean =>
  id === other || id.startsWith(`${other}.`) || id.startsWith(`${other}:`);

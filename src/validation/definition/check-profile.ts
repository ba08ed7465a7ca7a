import { isProfile } from '../../definitions/definition.ts';
import { asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { printSnapshotProblem } from '../../model/snapshot/snapshot.ts';
import { checkConstraints, constraintKeys } from './constraint-checks.ts';
import { checkBinding, checkCardinality, checkLoosened, checkTypes, checkValueTypes } from './element-checks.ts';
import { checkExtensionHead } from './extension-checks.ts';
import { placeOf } from './place.ts';
import { writtenElements } from './profile.ts';
import type { Finding, Loaded, ReportFinding } from './profile.ts';
import { checkDiscriminators, checkSlice, checkSliceAbove, checkSliceMinima } from './slicing-checks.ts';

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

import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { FindSnapshot, Snapshot } from '../../model/snapshot/snapshot.ts';
import { elementNotes } from '../definition/notes.ts';

/** A type of an element: its code, its profiles, and the targets of a reference. */
export interface ShownType {
  readonly code: string;
  readonly profiles: readonly string[];
  readonly targets: readonly string[];
}

/** The properties of an element that the tree shows. */
export interface Shown {
  /** `0..1` */
  readonly cardinality: string;
  readonly types: readonly ShownType[];
  readonly binding: { readonly strength: string; readonly valueSet: string } | undefined;
  readonly mustSupport: boolean;
  readonly modifier: boolean;
  readonly summary: boolean;
  /** A fixed value or a pattern, as JSON. */
  readonly fixed: { readonly kind: 'fixed' | 'pattern'; readonly value: string } | undefined;
  /** The discriminators of its slices; undefined if it has none. */
  readonly slicing: { readonly by: string; readonly rules: string } | undefined;
}

/** A row of the tree. */
export interface TreeRow {
  readonly id: string;
  /** 0 for the root. */
  readonly depth: number;
  readonly name: string;
  readonly slice: string | undefined;
  readonly short: string | undefined;
  readonly element: Shown;
  /** What the base has in place of what differs; undefined without any difference. A new slice differs as a whole. */
  readonly base: Partial<Shown> | undefined;
  /** Invariants that the base does not have. */
  readonly rules: readonly { readonly key: string; readonly human: string }[];
}

/**
 * The elements of a definition as a tree, in its order, each with what its base has instead. `differential`: only
 * elements that differ, with those above them. https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export function treeOf(
  { structure, elements }: Snapshot,
  find: FindSnapshot,
  view: 'snapshot' | 'differential',
): readonly TreeRow[] {
  const isProfile = structure['derivation'] === 'constraint';
  const baseOf = createBaseOf(find, isProfile ? asString(structure['baseDefinition']) : undefined);
  const everywhere = rulesOf(find, ['Element', 'Extension']);
  const rows = elements.map(element => {
    const id = asString(element['id']) ?? String(element['path']);
    return rowOf(element, id, isProfile ? baseOf(id) : undefined, everywhere);
  });
  if (view === 'snapshot') return rows;
  const wanted = new Set(rows.filter(differs).flatMap(({ id }) => [id, ...above(id)]));
  return rows.filter(({ id, depth }) => depth === 0 || wanted.has(id));
}

const differs = ({ base, rules, slice, depth }: TreeRow): boolean =>
  depth > 0 && (base !== undefined || rules.length > 0 || slice !== undefined);

/** The ids of the elements above an element: also the element that it is a slice of. */
function above(id: string): readonly string[] {
  const steps = id.split('.');
  return steps.flatMap((_, at) => {
    const upper = steps.slice(0, at + 1).join('.');
    return [upper, upper.replace(/:[^.]*$/, '')];
  });
}

/** The keys of the invariants that every element has, by its data type. */
const rulesOf = (find: FindSnapshot, types: readonly string[]): readonly unknown[] =>
  types.flatMap(type => objectsOf(find(type)?.elements[0]?.['constraint']).map(({ key }) => key));

function rowOf(element: JsonObject, id: string, base: JsonObject | undefined, everywhere: readonly unknown[]): TreeRow {
  const path = String(element['path']);
  const slice = asString(element['sliceName']);
  const shown = shownOf(element);
  const before = base === undefined ? undefined : shownOf(base);
  const known = new Set([...everywhere, ...objectsOf(base?.['constraint']).map(({ key }) => key)]);
  const rules = base === undefined ? [] : objectsOf(element['constraint']).filter(({ key }) => !known.has(key));
  const changed = before === undefined ? undefined : differenceOf(shown, before);
  return {
    id,
    depth: id.split('.').length - 1 + (id.match(/:/g)?.length ?? 0),
    name: path.slice(path.lastIndexOf('.') + 1),
    slice,
    short: asString(element['short']) ?? elementNotes().short[path],
    element: shown,
    base: changed,
    rules: rules.map(({ key, human }) => ({ key: String(key), human: asString(human) ?? '' })),
  };
}

/** The properties of the base that differ; undefined for none. */
function differenceOf(now: Shown, before: Shown): Partial<Shown> | undefined {
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name as keyof Shown]), // of the same type
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function shownOf(element: JsonObject): Shown {
  const { min, max, binding, slicing } = element;
  const { strength, valueSet } = asObject(binding);
  return {
    cardinality: `${typeof min === 'number' ? min : 0}..${asString(max) ?? '*'}`,
    types: objectsOf(element['type']).map(typeOf),
    binding: binding === undefined ? undefined : { strength: String(strength), valueSet: asString(valueSet) ?? '' },
    mustSupport: element['mustSupport'] === true,
    modifier: element['isModifier'] === true,
    summary: element['isSummary'] === true,
    fixed: fixedOf(element),
    slicing: slicing === undefined ? undefined : slicingOf(asObject(slicing)),
  };
}

/** `http://hl7.org/fhirpath/System.String` is the type of ids and of the values of primitives. */
const typeOf = ({ code, profile, targetProfile }: JsonObject): ShownType => ({
  code: String(code).replace(/^http:\/\/hl7\.org\/fhirpath\/System\./, ''),
  profiles: stringsOf(profile),
  targets: stringsOf(targetProfile),
});

function fixedOf(element: JsonObject): Shown['fixed'] {
  for (const kind of ['fixed', 'pattern'] as const) {
    const name = Object.keys(element).find(key => key.startsWith(kind) && /^[A-Z]/.test(key.slice(kind.length)));
    if (name !== undefined) return { kind, value: JSON.stringify(element[name]) };
  }
  return undefined;
}

const slicingOf = ({ discriminator, rules }: JsonObject): NonNullable<Shown['slicing']> => ({
  by: objectsOf(discriminator)
    .map(({ type, path }) => `${String(type)}:${String(path)}`)
    .join(', '),
  rules: asString(rules) ?? '',
});

/** Finds the element of the base of a profile by the id of an element of the profile; undefined for a new one. */
type BaseOf = (id: string) => JsonObject | undefined;

/**
 * The base element of an element is that of the base definition without its slices; below an element of a data type,
 * that of the data type. https://hl7.org/fhir/R4/profiling.html
 */
function createBaseOf(find: FindSnapshot, baseDefinition: string | undefined): BaseOf {
  const base = baseDefinition === undefined ? undefined : find(baseDefinition);
  const byPath = base === undefined ? new Map<string, JsonObject>() : pathsOf(base);
  const elementAt = (path: string): JsonObject | undefined => {
    const known = byPath.get(path);
    const at = path.lastIndexOf('.');
    if (known !== undefined || at === -1) return known;
    const parent = elementAt(path.slice(0, at));
    const [type] = objectsOf(parent?.['type']);
    const code = asString(type?.['code']);
    const content = code === undefined || !/^[A-Za-z]+$/.test(code) ? undefined : find(code);
    return content && pathsOf(content).get(`${content.type}${path.slice(at)}`);
  };
  return id => elementAt(id.replaceAll(/:[^.]*/g, ''));
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, JsonObject>>();

/** The elements of a snapshot by their paths, without those of slices. */
function pathsOf(snapshot: Snapshot): ReadonlyMap<string, JsonObject> {
  const cached = known.get(snapshot);
  if (cached !== undefined) return cached;
  const whole = snapshot.elements.filter(({ id }) => !String(id).includes(':'));
  const paths = new Map(whole.map(element => [String(element['path']), element]));
  known.set(snapshot, paths);
  return paths;
}

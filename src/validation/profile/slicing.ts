import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { compileDiscriminator } from './discriminator.ts';
import type { Match } from './discriminator.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Rulebook, ValueCheck, Walk } from './walk.ts';
import type { ProfileSource } from './source.ts';
import type { Tree } from './tree.ts';
import { at } from './walk.ts';

/** Sorts the values of an element into slices and checks each by its slice; `path` is the owner's. */
export type SlicingCheck = (nodes: readonly Node[], walk: Walk) => void;

interface Slice {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly match: Match;
  readonly check: ValueCheck | undefined;
  readonly slicing: SlicingCheck | undefined;
  readonly rule: string;
}

/**
 * Compiles the slices of an element, or of a slice of it; undefined if they have no rules. `compileCheck` compiles a
 * slice's rules for its values, `most` is the maximum number of values. https://hl7.org/fhir/R4/profiling.html#slicing
 */
export function compileSlicing(
  tree: Tree,
  most: number,
  compileCheck: (slice: Tree) => ValueCheck | undefined,
  source: ProfileSource,
  rulebook: Rulebook,
): SlicingCheck | undefined {
  const slicing = asObject(tree.element['slicing']);
  const rules = asString(slicing['rules']) ?? 'open';
  const ordered = slicing['ordered'] === true;
  const discriminators = discriminatorsOf(tree, slicing);
  const slices = tree.slices.map((slice): Slice => {
    const { min, max } = slice.element;
    const inner = compileSlicing(slice, max === '*' ? Infinity : Number(max ?? most), compileCheck, source, rulebook);
    return {
      name: slice.sliceName ?? '',
      min: Number(min ?? 0),
      max: max === '*' ? Infinity : Number(max ?? Infinity),
      match: matchOf(slice, discriminators, rulebook),
      check: compileCheck(slice),
      slicing: inner,
      rule: source.id(slice.element),
    };
  });
  const asks = slices.some(
    ({ min, max, check, slicing: inner }) => min > 0 || max < most || check !== undefined || inner !== undefined,
  );
  if (!asks && !ordered && (rules === 'open' || (slices.length === 0 && tree.element['slicing'] === undefined)))
    return undefined;
  if (slices.length === 0 && rules !== 'closed') return undefined;
  const name = tree.choice ? `${tree.name}[x]` : tree.name;
  const run = { name, slices, rules, ordered, source, rule: source.id(tree.element) };
  return (nodes, walk) => sort(nodes, walk, run);
}

interface SliceRun {
  readonly name: string;
  readonly slices: readonly Slice[];
  readonly rules: string;
  readonly ordered: boolean;
  readonly source: ProfileSource;
  readonly rule: string;
}

/** Extensions are sliced by url and choices by type if a snapshot does not state it. */
function discriminatorsOf(tree: Tree, slicing: JsonObject): readonly JsonObject[] {
  const given = objectsOf(slicing['discriminator']);
  if (given.length > 0) return given;
  if (tree.name === 'extension' || tree.name === 'modifierExtension') return [{ type: 'value', path: 'url' }];
  return tree.choice ? [{ type: 'type', path: '$this' }] : [];
}

function matchOf(slice: Tree, discriminators: readonly JsonObject[], rulebook: Rulebook): Match {
  if (slice.sliceName === '@default') return () => false;
  // A slice that fixes some of the discriminators accepts any value of the others.
  const matches = discriminators.flatMap(discriminator => compileDiscriminator(discriminator, slice, rulebook) ?? []);
  if (matches.length === 0) return () => undefined;
  return (node, walk) => {
    let result: boolean | undefined = true;
    for (const match of matches) {
      const found = match(node, walk);
      if (found === false) return false;
      if (found === undefined) result = undefined;
    }
    return result;
  };
}

function sort(nodes: readonly Node[], walk: Walk, run: SliceRun): void {
  const { slices, rules, ordered, source, name } = run;
  const { findings, budget } = walk;
  budget.spend(nodes.length * slices.length);
  const members = slices.map((): Node[] => []);
  /** How many further values each slice may have. */
  const open = slices.map(() => 0);
  const otherwise = slices.findIndex(slice => slice.name === '@default');
  const loose: Node[] = [];
  let last = -1;
  for (const node of nodes) {
    const { index, perhaps } = sliceOf(node, walk, slices);
    for (const one of perhaps) open[one] = (open[one] ?? 0) + 1;
    const place = index === -1 && perhaps.length === 0 ? otherwise : index;
    if (place === -1) {
      if (perhaps.length === 0) loose.push(node);
      continue;
    }
    members[place]?.push(node);
    if (ordered && place < last)
      at(node, walk, () => {
        const text =
          `The slice \`${slices[place]?.name}\` of \`${name}\` must come before \`${slices[last]?.name}\` ` +
          `(profile ${source.url}).`;
        findings.add({ severity: 'error', code: 'structure', text, profile: source.url, rule: `${run.rule} ordered` });
      });
    last = Math.max(last, place);
    if (rules === 'openAtEnd' && loose.length > 0)
      at(node, walk, () => {
        const text = `A value of a slice of \`${name}\` must come before the values of none (profile ${source.url}).`;
        findings.add({
          severity: 'error',
          code: 'structure',
          text,
          profile: source.url,
          rule: `${run.rule} openAtEnd`,
        });
      });
  }
  if (rules === 'closed')
    for (const node of loose)
      at(node, walk, () => {
        const all = slices.map(slice => `\`${slice.name}\``).join(', ');
        const text =
          `This matches none of the slices of \`${name}\` (${all}), and the slicing is closed (profile ` +
          `${source.url}).`;
        findings.add({ severity: 'error', code: 'structure', text, profile: source.url, rule: `${run.rule} closed` });
      });
  for (const [index, slice] of slices.entries()) checkSlice(slice, members[index] ?? [], open[index] ?? 0, walk, run);
}

/** The first slice that a value belongs to; if none is certain, those that it may belong to (`perhaps`). */
function sliceOf(
  node: Node,
  walk: Walk,
  slices: readonly Slice[],
): { readonly index: number; readonly perhaps: readonly number[] } {
  const perhaps: number[] = [];
  for (const [index, slice] of slices.entries()) {
    const found = slice.match(node, walk);
    if (found === true) return { index, perhaps: [] };
    if (found === undefined) perhaps.push(index);
  }
  return { index: -1, perhaps };
}

/** `open` is the number of values that may also belong to the slice. */
function checkSlice(slice: Slice, nodes: readonly Node[], open: number, walk: Walk, run: SliceRun): void {
  const { findings } = walk;
  const { source, name } = run;
  const profile = source.url;
  const count = nodes.length;
  findings.path.push(name.replace('[x]', ''));
  if (count < slice.min) {
    const times = slice.min === 1 ? 'once' : `${slice.min} times`;
    const found = count === 0 ? 'none' : count;
    const text = `The slice \`${slice.name}\` of \`${name}\`: expected ${times}, found ${found} (profile ${profile}).`;
    if (count + open < slice.min)
      findings.add({ severity: 'error', code: 'required', text, profile, rule: `${slice.rule} min` });
    else {
      const unsure =
        `Whether \`${name}\` has the slice \`${slice.name}\` ${times} cannot be decided with the loaded ` +
        'definitions.';
      findings.add({
        severity: 'information',
        code: 'informational',
        text: unsure,
        profile,
        rule: `${slice.rule} min`,
      });
    }
  }
  if (count > slice.max) {
    const most = slice.max === 0 ? 'none' : `${slice.max} at most`;
    const text = `The slice \`${slice.name}\` of \`${name}\`: expected ${most}, found ${count} (profile ${profile}).`;
    findings.add({ severity: 'error', code: 'structure', text, profile, rule: `${slice.rule} max` });
  }
  findings.path.pop();
  if (slice.check !== undefined) for (const node of nodes) at(node, walk, slice.check);
  slice.slicing?.(nodes, walk);
}

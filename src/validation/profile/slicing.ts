import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { compileDiscriminator } from './discriminator.ts';
import type { Match } from './discriminator.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Kit, ValueCheck, Walk } from './walk.ts';
import type { Source } from './source.ts';
import type { Tree } from './tree.ts';
import { at } from './walk.ts';

/** Sorts the values of an element into slices and checks each with its own; `path` stands at the owner. */
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
 * The slices of an element, or of a slice of it; undefined where they ask nothing. `compileCheck` compiles what a slice says
 * of its values, `most` is how many values there may be anyway.
 * https://hl7.org/fhir/R4/profiling.html#slicing
 */
export function compileSlicing(
  tree: Tree,
  most: number,
  compileCheck: (slice: Tree) => ValueCheck | undefined,
  source: Source,
  kit: Kit,
): SlicingCheck | undefined {
  const slicing = asObject(tree.element['slicing']);
  const rules = asString(slicing['rules']) ?? 'open';
  const ordered = slicing['ordered'] === true;
  const discriminators = discriminatorsOf(tree, slicing);
  const slices = tree.slices.map((slice): Slice => {
    const { min, max } = slice.element;
    const inner = compileSlicing(slice, max === '*' ? Infinity : Number(max ?? most), compileCheck, source, kit);
    return {
      name: slice.sliceName ?? '',
      min: Number(min ?? 0),
      max: max === '*' ? Infinity : Number(max ?? Infinity),
      match: matchOf(slice, discriminators, kit),
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

interface Run {
  readonly name: string;
  readonly slices: readonly Slice[];
  readonly rules: string;
  readonly ordered: boolean;
  readonly source: Source;
  readonly rule: string;
}

/** Extensions are sliced by url and choices by type where a snapshot does not say so. */
function discriminatorsOf(tree: Tree, slicing: JsonObject): readonly JsonObject[] {
  const given = objectsOf(slicing['discriminator']);
  if (given.length > 0) return given;
  if (tree.name === 'extension' || tree.name === 'modifierExtension') return [{ type: 'value', path: 'url' }];
  return tree.choice ? [{ type: 'type', path: '$this' }] : [];
}

function matchOf(slice: Tree, discriminators: readonly JsonObject[], kit: Kit): Match {
  if (slice.sliceName === '@default') return () => false;
  const matches = discriminators.map(discriminator => compileDiscriminator(discriminator, slice, kit));
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

function sort(nodes: readonly Node[], walk: Walk, run: Run): void {
  const { slices, rules, ordered, source, name } = run;
  const { findings, budget } = walk;
  budget.spend(nodes.length * slices.length);
  const members = slices.map((): Node[] => []);
  /** How many values each slice may have beside its members. */
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
        const text = `This is of the slice \`${slices[place]?.name}\` of \`${name}\`, which must come before \`${slices[last]?.name}\`; ${source.url} says so.`;
        findings.add({ severity: 'error', code: 'structure', text, profile: source.url, rule: `${run.rule} ordered` });
      });
    last = Math.max(last, place);
    if (rules === 'openAtEnd' && loose.length > 0)
      at(node, walk, () => {
        const text = `What is of no slice of \`${name}\` must stand at the end, and this comes after such; ${source.url} says so.`;
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
        const text = `This fits none of the slices of \`${name}\` (${all}), and the profile ${source.url} takes no others.`;
        findings.add({ severity: 'error', code: 'structure', text, profile: source.url, rule: `${run.rule} closed` });
      });
  for (const [index, slice] of slices.entries()) checkSlice(slice, members[index] ?? [], open[index] ?? 0, walk, run);
}

/** The first slice that a value is of; where it is of none, those that it is `perhaps` of. */
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

/** `open` is how many values may be of the slice beside those that are. */
function checkSlice(slice: Slice, nodes: readonly Node[], open: number, walk: Walk, run: Run): void {
  const { findings } = walk;
  const { source, name } = run;
  const count = nodes.length;
  findings.path.push(name.replace('[x]', ''));
  if (count < slice.min) {
    const times = slice.min === 1 ? 'once' : `${slice.min} times`;
    const text = `The slice \`${slice.name}\` of \`${name}\` must be there ${times}, and is there ${count === 0 ? 'nowhere' : `${count} times`}; the profile ${source.url} says so.`;
    if (count + open < slice.min)
      findings.add({ severity: 'error', code: 'required', text, profile: source.url, rule: `${slice.rule} min` }); // prettier-ignore
    else {
      const unsure = `Whether the slice \`${slice.name}\` of \`${name}\` is there ${times} cannot be told with what is loaded.`;
      findings.add({ severity: 'information', code: 'informational', text: unsure, profile: source.url, rule: `${slice.rule} min` }); // prettier-ignore
    }
  }
  if (count > slice.max) {
    const most = slice.max === 0 ? 'must not be there' : `may be there ${slice.max} times at most, not ${count} times`;
    const text = `The slice \`${slice.name}\` of \`${name}\` ${most}; the profile ${source.url} says so.`;
    findings.add({ severity: 'error', code: 'structure', text, profile: source.url, rule: `${slice.rule} max` });
  }
  findings.path.pop();
  if (slice.check !== undefined) for (const node of nodes) at(node, walk, slice.check);
  slice.slicing?.(nodes, walk);
}

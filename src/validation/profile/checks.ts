import { compileBinding } from './binding.ts';
import { compileFixed, compilePattern } from './fixed.ts';
import { compileInvariants } from './invariant.ts';
import type { Kit, ValueCheck } from './walk.ts';
import { compileLength, compileRange } from './limits.ts';
import type { Source } from './source.ts';
import { compileTargets } from './target.ts';
import type { Tree } from './tree.ts';
import { compileTypeProfiles } from './type-profile.ts';

/**
 * Compiles the requirements of an element beyond those of `base`, the same element of the type without the profile;
 * `typeRoot` is the root of the value's own type. Cheap and selective checks come first.
 */
export function compileChecks(
  tree: Tree,
  base: Tree | undefined,
  typeRoot: Tree | undefined,
  source: Source,
  kit: Kit,
): readonly ValueCheck[] {
  return [
    compileFixed(tree, source),
    compilePattern(tree, source),
    compileLength(tree, base, source),
    compileRange(tree, base, source, 'minValue'),
    compileRange(tree, base, source, 'maxValue'),
    compileBinding(tree, base, source),
    compileTargets(tree, base, source, kit),
    compileTypeProfiles(tree, base, source),
    ...compileInvariants(tree, [base, typeRoot], source, kit),
  ].filter(check => check !== undefined);
}

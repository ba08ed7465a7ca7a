import { objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { compileBinding } from './binding.ts';
import { compileFixed, compilePattern } from './fixed.ts';
import { compileInvariants } from './invariant.ts';
import type { Rulebook, ValueCheck } from './walk.ts';
import { compileLength, compileRange } from './limits.ts';
import type { ProfileSource } from './source.ts';
import { baseType, compileTargets } from './target.ts';
import type { Tree } from './tree.ts';
import { conformsTo, validateAgainst } from './conform.ts';

/**
 * `type.profile`: a value must meet one of the profiles of its possible types; a type without profiles accepts any
 * value. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.type.profile
 */
function compileTypeProfiles(tree: Tree, base: Tree | undefined, source: ProfileSource): ValueCheck | undefined {
  const types = typesOf(tree.element);
  if (types.every(({ profiles }) => profiles.length === 0)) return undefined;
  if (base !== undefined && JSON.stringify(types) === JSON.stringify(typesOf(base.element))) return undefined;
  const rule = `${source.id(tree.element)} type.profile`;
  return (node, walk) => {
    const own = types.filter(({ code }) => isA(node.code, code, walk.rulebook.types));
    if (own.length === 0 || own.some(({ profiles }) => profiles.length === 0)) return;
    const profiles = own.flatMap(type => type.profiles);
    const [first, ...others] = profiles;
    if (first !== undefined && others.length === 0) {
      const profile = walk.rulebook.profile(first);
      if (profile === undefined) {
        const text = `The profile \`${first}\` is not loaded, so it was not checked.`;
        walk.findings.note({
          severity: 'information',
          code: 'informational',
          text,
          profile: source.url,
          rule: `unknown ${first}`,
        });
        return;
      }
      if (isA(node.code, profile.type, walk.rulebook.types)) {
        validateAgainst(node, first, walk);
        return;
      }
    } else if (profiles.some(profile => conformsTo(node, profile, walk) !== false)) return;
    const names = profiles.map(profile => `\`${profile}\``).join(', ');
    const text = `This must meet ${others.length === 0 ? names : `one of ${names}`} (profile ${source.url}).`;
    walk.findings.add({ severity: 'error', code: 'structure', text, profile: source.url, rule });
  };
}

interface ProfiledType {
  readonly code: string;
  readonly profiles: readonly string[];
}

/** The types with their profiles; empty if one of these is the FHIR type itself. */
const typesOf = (element: JsonObject): readonly ProfiledType[] =>
  objectsOf(element['type']).map(type => {
    const code = String(type['code']);
    const profiles = stringsOf(type['profile']);
    return { code, profiles: profiles.some(profile => baseType(profile) === code) ? [] : profiles };
  });

/**
 * Compiles the requirements of an element beyond those of `base`, the same element of the type without the profile;
 * `typeRoot` is the root of the value's own type. Cheap and selective checks come first.
 */
export function compileChecks(
  tree: Tree,
  base: Tree | undefined,
  typeRoot: Tree | undefined,
  source: ProfileSource,
  rulebook: Rulebook,
): readonly ValueCheck[] {
  return [
    compileFixed(tree, source),
    compilePattern(tree, source),
    compileLength(tree, base, source),
    compileRange(tree, base, source, 'minValue'),
    compileRange(tree, base, source, 'maxValue'),
    compileBinding(tree, base, source),
    compileTargets(tree, base, source, rulebook),
    compileTypeProfiles(tree, base, source),
    ...compileInvariants(tree, [base, typeRoot], source, rulebook),
  ].filter(check => check !== undefined);
}

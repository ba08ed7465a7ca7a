import { objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { conformsTo, validateAgainst } from './conform.ts';
import type { Source } from './source.ts';
import { baseType } from './target.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck } from './walk.ts';

/**
 * `type.profile`: a value must meet one of the profiles of its possible types; a type without profiles accepts any
 * value. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.type.profile
 */
export function compileTypeProfiles(tree: Tree, base: Tree | undefined, source: Source): ValueCheck | undefined {
  const types = typesOf(tree.element);
  if (types.every(({ profiles }) => profiles.length === 0)) return undefined;
  if (base !== undefined && JSON.stringify(types) === JSON.stringify(typesOf(base.element))) return undefined;
  const rule = `${source.id(tree.element)} type.profile`;
  return (node, walk) => {
    const own = types.filter(({ code }) => isA(node.code, code, walk.kit.types));
    if (own.length === 0 || own.some(({ profiles }) => profiles.length === 0)) return;
    const profiles = own.flatMap(type => type.profiles);
    const [first, ...others] = profiles;
    if (first !== undefined && others.length === 0) {
      const profile = walk.kit.profile(first);
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
      if (isA(node.code, profile.type, walk.kit.types)) {
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

import { objectsOf, stringsOf } from '../../definitions/json-object.ts';
import type { JsonObject } from '../../definitions/json-object.ts';
import { conformsTo, holdAgainst } from './conform.ts';
import type { Source } from './source.ts';
import { baseType } from './target.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck } from './walk.ts';

/**
 * `type.profile`: a value of the type must meet one of its profiles.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.type.profile
 */
export function compileTypeProfiles(tree: Tree, base: Tree | undefined, source: Source): ValueCheck | undefined {
  const types = withProfiles(tree.element);
  if (types.length === 0) return undefined;
  if (base !== undefined && JSON.stringify(types) === JSON.stringify(withProfiles(base.element))) return undefined;
  const byCode = new Map(types.map(({ code, profiles }) => [code, profiles]));
  const rule = `${source.id(tree.element)} type.profile`;
  return (node, walk) => {
    const profiles = byCode.get(node.code);
    if (profiles === undefined) return;
    const [first, ...others] = profiles;
    if (first !== undefined && others.length === 0) {
      if (walk.kit.profile(first) === undefined) {
        const text = `The profile \`${first}\` is not loaded, so nothing was held against it.`;
        walk.findings.note({ severity: 'information', code: 'informational', text, profile: source.url, rule: `unknown ${first}` }); // prettier-ignore
      } else holdAgainst(node, first, walk);
      return;
    }
    if (profiles.some(profile => conformsTo(node, profile, walk) !== false)) return;
    const text = `This must meet one of ${profiles.map(profile => `\`${profile}\``).join(', ')}; ${source.url} says so.`;
    walk.findings.add({ severity: 'error', code: 'structure', text, profile: source.url, rule });
  };
}

/** The types that have profiles, without those that are types of FHIR themselves. */
const withProfiles = (
  element: JsonObject,
): readonly { readonly code: string; readonly profiles: readonly string[] }[] =>
  objectsOf(element['type']).flatMap(type => {
    const all = stringsOf(type['profile']);
    const profiles = all.filter(profile => baseType(profile) !== String(type['code']));
    return profiles.length === 0 || profiles.length < all.length ? [] : [{ code: String(type['code']), profiles }];
  });

import { asString, isObject, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import { parseReference } from '../../fhir/reference.ts';
import { shorten } from '../report.ts';
import { conformsTo } from './conform.ts';
import type { Rulebook, ValueCheck, Walk } from './walk.ts';
import { resolve } from './resolve.ts';
import type { ProfileSource } from './source.ts';
import type { Tree } from './tree.ts';

/** The allowed targets of a Reference. */
interface Targets {
  /** Resource types; empty for any. */
  readonly types: ReadonlySet<string>;
  /** The profiles by resource type; a target must meet one of its type; empty if the type is enough. */
  readonly profiles: ReadonlyMap<string, readonly string[]>;
  readonly aggregation: readonly string[];
}

/**
 * Checks the target type of a Reference, its aggregation, and, if the target is available, its profiles.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.type.targetProfile
 */
export function compileTargets(
  tree: Tree,
  base: Tree | undefined,
  source: ProfileSource,
  rulebook: Rulebook,
): ValueCheck | undefined {
  const own = referenceTypes(tree);
  if (own.length === 0) return undefined;
  if (base !== undefined && JSON.stringify(own) === JSON.stringify(referenceTypes(base))) return undefined;
  const targets = targetsOf(own, rulebook);
  if (targets.types.size === 0 && targets.profiles.size === 0 && targets.aggregation.length === 0) return undefined;
  const rule = `${source.id(tree.element)} target`;
  return (node, walk) => {
    if (!isObject(node.value) || node.code !== 'Reference') return;
    walk.findings.path.push('reference');
    const text = problem(node.value, targets, walk);
    if (text !== undefined) walk.findings.add({ severity: 'error', code: 'value', text, profile: source.url, rule });
    walk.findings.path.pop();
  };
}

const referenceTypes = ({ element }: Tree): readonly object[] =>
  objectsOf(element['type'])
    .filter(({ code }) => code === 'Reference')
    .map(({ targetProfile, aggregation }) => ({ targetProfile, aggregation }));

function targetsOf(types: readonly object[], rulebook: Rulebook): Targets {
  const names = new Set<string>();
  const profiles = new Map<string, string[]>();
  const plainTypes = new Set<string>();
  const aggregation = new Set<string>();
  let any = false;
  for (const type of types as readonly { readonly targetProfile?: unknown; readonly aggregation?: unknown }[]) {
    // made above
    const canonicals = stringsOf(type.targetProfile);
    any ||= canonicals.length === 0;
    for (const how of stringsOf(type.aggregation)) aggregation.add(how);
    for (const canonical of canonicals) {
      const base = baseType(canonical);
      const name = base ?? rulebook.snapshot(canonical)?.type;
      if (name === undefined || name === 'Resource' || name === 'DomainResource') any = true;
      else {
        names.add(name);
        if (base === undefined) profiles.set(name, [...(profiles.get(name) ?? []), canonical]);
        else plainTypes.add(name);
      }
    }
  }
  for (const name of plainTypes) profiles.delete(name);
  return any
    ? { types: new Set(), profiles: new Map(), aggregation: [...aggregation] }
    : { types: names, profiles, aggregation: [...aggregation] };
}

/** The base type that a canonical of R4 itself names. */
export const baseType = (canonical: string): string | undefined =>
  /^http:\/\/hl7\.org\/fhir\/StructureDefinition\/([A-Z]\w*)$/.exec(canonical.replace(/\|.*/, ''))?.[1];

/** The resource type that a Reference names by its text, else by its `type`; its target need not be available. */
export function typeNamedBy(value: Record<string, unknown>, { types }: Rulebook): string | undefined {
  const text = asString(value['reference']);
  const parsed = text === undefined ? undefined : parseReference(text);
  const named = parsed?.kind === 'relative' || parsed?.kind === 'absolute' ? parsed.type : undefined;
  return named !== undefined && types.resourceTypes.has(named) ? named : asString(value['type']);
}

function problem(
  value: Record<string, unknown>,
  { types, profiles, aggregation }: Targets,
  walk: Walk,
): string | undefined {
  const text = asString(value['reference']);
  const parsed = text === undefined ? undefined : parseReference(text);
  const target = text === undefined ? undefined : resolve(text, walk);
  const quoted = shorten(text ?? '');
  if (aggregation.length > 0 && parsed !== undefined) {
    if (parsed.kind === 'contained' && !aggregation.includes('contained'))
      return `\`${quoted}\` is a contained resource; this must reference one that is not contained.`;
    if (parsed.kind !== 'contained' && aggregation.every(how => how === 'contained'))
      return `\`${quoted}\` must be a contained resource here.`;
  }
  const type = target?.code ?? typeNamedBy(value, walk.rulebook);
  if (type === undefined || types.size === 0) return undefined;
  if (!types.has(type)) {
    const allowed = [...types].map(name => `\`${name}\``).join(', ');
    return (
      `\`${quoted === '' ? shorten(type) : quoted}\` points to a \`${shorten(type)}\`, and this must point ` +
      `to ${allowed}.`
    );
  }
  const wanted = profiles.get(type);
  if (wanted === undefined || target === undefined) return undefined;
  if (wanted.some(canonical => conformsTo(target, canonical, walk) !== false)) return undefined;
  return (
    `\`${quoted}\` must reference a resource that meets ` +
    `${wanted.map(canonical => `\`${canonical}\``).join(' or ')}; its target does not.`
  );
}

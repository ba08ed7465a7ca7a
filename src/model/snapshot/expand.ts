import { asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { FindSnapshot } from './snapshot.ts';
import { parseSnapshot } from './tree.ts';
import type { Node } from './tree.ts';

/** An element with the children of its type. */
export interface Expanded {
  readonly element: JsonObject | undefined;
  readonly children: readonly Node[];
  /** What was not found; the children are then those of a more general type, or none. */
  readonly problem?: string;
  /** True if the problem is a profile of the type that is not loaded. */
  readonly undecided?: boolean;
}

/**
 * The children of an element: its own if it has some; else those of the element that its content reference names; else
 * those of its type, from its single type profile. An element of several types has the children that all elements have.
 * https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export function childrenOf(node: Node, context: { readonly find: FindSnapshot; readonly base: Node }): Expanded {
  const { element, children } = node;
  if (children.length > 0) return { element, children };
  const reference = asString(element?.['contentReference']);
  if (reference !== undefined) return referred(node, reference, context);
  const types = objectsOf(element?.['type']);
  const [type] = types;
  if (type === undefined)
    return { element, children, problem: 'The element has no type whose elements this could be.' };
  if (new Set(types.map(({ code }) => code)).size > 1) return ofStructure(element, 'Element', context.find);
  const profiles = types.length === 1 ? stringsOf(type['profile']) : [];
  const [profile] = profiles;
  if (profile === undefined || profiles.length > 1) return ofStructure(element, typeName(type), context.find);
  const expanded = ofStructure(element, profile, context.find);
  return expanded.problem === undefined
    ? expanded
    : {
        ...ofStructure(element, typeName(type), context.find),
        problem: expanded.problem,
        undecided: context.find(profile) === undefined,
      };
}

function referred(
  { element, children }: Node,
  reference: string,
  { find, base }: { readonly find: FindSnapshot; readonly base: Node },
): Expanded {
  const [url = '', path = ''] = reference.split('#');
  const root = url === '' ? base : parseSnapshot(find(url)?.elements ?? []);
  let target = root;
  for (const name of path.split('.').slice(1)) target = target?.children.find(child => child.name === name);
  if (target === undefined) return { element, children, problem: `\`${reference}\` is not an element.` };
  const { contentReference: _, ...rest } = element ?? {};
  return { element: { ...rest, type: target.element?.['type'] }, children: target.children };
}

function ofStructure(element: JsonObject | undefined, canonical: string, find: FindSnapshot): Expanded {
  const found = find(canonical);
  const root = parseSnapshot(found?.elements ?? []);
  if (root !== undefined) return { element, children: root.children };
  const problem = found?.problems[0]?.text ?? `\`${canonical}\`, which its type names, is not loaded.`;
  return { element, children: [], problem };
}

/** The FHIR type; ids and values of primitives are typed as FHIRPath strings and name theirs in an extension. */
function typeName({ code, extension }: JsonObject): string {
  const named = objectsOf(extension).find(({ url }) => url === fhirType);
  return asString(named?.['valueUrl']) ?? String(code);
}

const fhirType = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';

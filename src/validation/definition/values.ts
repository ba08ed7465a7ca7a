import type { KnownType } from '../../fhirpath/result-type.ts';
import type { ElementDefinition, TypeDefinition, TypeDefinitions } from '../../model/element.ts';

/** A type at a position. */
export interface PlaceType extends KnownType {
  /** The resource types to which a reference may lead; empty or undefined for any. */
  readonly targets?: readonly string[];
}

/** The possible values at a position; undefined if they are unknown. */
export type Values = readonly PlaceType[] | undefined;

/** A step to a child that none of the values has. */
export interface Missing {
  readonly name: string;
  readonly owners: readonly string[];
  readonly known: readonly string[];
}

/** The values of a type by its name; undefined for an unknown type. */
export function valuesOfType(name: string, types: TypeDefinitions): Values {
  const definition = types.get(name);
  return definition === undefined ? undefined : [{ code: name, definition }];
}

/**
 * The children of a name: in FHIRPath (`value`), in an element path (`value[x]`), or of a choice by its type
 * (`valueQuantity`). Undefined if something is unknown, such as the content of a contained resource.
 */
export function childrenOf(values: Values, name: string, types: TypeDefinitions): Values | Missing {
  if (values === undefined || values.length === 0) return undefined;
  const bare = name.endsWith('[x]') ? name.slice(0, -3) : name;
  const found: PlaceType[] = [];
  let isOpen = false;
  for (const { definition } of values) {
    const owner = definition?.kind === 'primitive-type' ? types.get('Element') : definition;
    const element = owner?.elements.get(bare) ?? choiceOf(owner?.properties.get(bare)?.element);
    if (element !== undefined) found.push(...valuesOf(element, bare, types));
    else if (
      owner === undefined ||
      isValueOf(definition, bare) ||
      (owner.kind === 'resource' && owner.abstract) ||
      (open.has(owner.name) && definition?.kind !== 'primitive-type')
    )
      isOpen = true;
  }
  if (found.length > 0) return found;
  if (isOpen) return undefined;
  const owners = [...new Set(values.map(({ code, definition }) => definition?.name ?? code))];
  const known = values.flatMap(({ definition }) => [...(definition?.elements.keys() ?? [])]);
  return { name, owners, known };
}

export const isMissing = (found: Values | Missing): found is Missing =>
  found !== undefined && !Array.isArray(found) && 'owners' in found;

/** The values of an element, or of one of its types if the name includes that. */
function valuesOf(element: ElementDefinition, name: string, types: TypeDefinitions): readonly PlaceType[] {
  const wanted = element.name === name ? element.types : element.types.filter(({ property }) => property === name);
  return wanted.map(({ code, targets, content }) => ({ code, targets, definition: content ?? types.get(code) }));
}

const choiceOf = (element: ElementDefinition | undefined): ElementDefinition | undefined =>
  element?.choice === true ? element : undefined;

/** `value` of a primitive is the JSON value itself. */
const isValueOf = (definition: TypeDefinition | undefined, name: string): boolean =>
  definition?.kind === 'primitive-type' && name === 'value';

/** Types that represent others. */
const open = new Set(['Element', 'BackboneElement', 'xhtml']);

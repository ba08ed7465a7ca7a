import { parseReference } from '../fhir/reference.ts';
import type { TypeDefinitions } from '../model/element.ts';

type Names = Pick<TypeDefinitions, 'resourceTypes'>;

/**
 * The target type of a Reference, or of the text of a uri or canonical, without fetching the target: from `Type/id`,
 * also at the end of an absolute URL; for a contained resource from `root`; else from `Reference.type`. Undefined if it
 * is not stated. https://hl7.org/fhir/R4/references.html#Reference
 */
export function referredType(value: unknown, root: unknown, definitions: Names): string | undefined {
  if (typeof value === 'string') return typeOfText(value, root, definitions);
  if (typeof value !== 'object' || value === null) return undefined;
  const { reference, type } = value as { reference?: unknown; type?: unknown }; // any JSON object is possible
  const found = typeof reference === 'string' ? typeOfText(reference, root, definitions) : undefined;
  if (found !== undefined || typeof type !== 'string') return found;
  return type.startsWith(base) ? type.slice(base.length) : type;
}

const base = 'http://hl7.org/fhir/StructureDefinition/';

function typeOfText(text: string, root: unknown, definitions: Names): string | undefined {
  const parsed = parseReference(text);
  if (parsed === undefined || parsed.kind === 'url') return undefined;
  if (parsed.kind === 'contained') return containedType(parsed.id, root);
  return definitions.resourceTypes.has(parsed.type) ? parsed.type : undefined;
}

function containedType(id: string, root: unknown): string | undefined {
  const { contained } = (root ?? {}) as { contained?: unknown }; // any JSON object is possible
  if (!Array.isArray(contained)) return undefined;
  for (const resource of contained as unknown[]) {
    const { id: own, resourceType } = (resource ?? {}) as { id?: unknown; resourceType?: unknown }; // as above
    if (own === id && typeof resourceType === 'string') return resourceType;
  }
  return undefined;
}

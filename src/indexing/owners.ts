import { parseReference } from '../fhir/reference.ts';
import type { ResourceType } from '../model/model.ts';
import type { ParsedJson } from '../fhir/json.ts';
import type { IndexEntry, ReferenceValue } from './entry.ts';
import type { Extract } from './extract.ts';
import { withOnly } from './only.ts';

/**
 * The owners of a record: the compartment records that its access links name, each once, as the record refers to them
 * without a version: `Type/id`, or an absolute URL, which is a record of this server if it is below the public URL.
 * https://hl7.org/fhir/R4/compartmentdefinition.html
 */
export function ownersOf({ accessLinks }: ResourceType, entries: readonly IndexEntry[]): readonly string[] {
  const owners: string[] = [];
  for (const { compartment, parameter } of accessLinks)
    for (const { param, value } of entries) {
      const owner = param === parameter && value.kind === 'reference' ? ownerIn(value, compartment) : undefined;
      if (owner !== undefined && !owners.includes(owner)) owners.push(owner);
    }
  return owners;
}

function ownerIn({ type, id, url }: ReferenceValue, compartment: string): string | undefined {
  if (url === undefined) return type === compartment ? `${type}/${id}` : undefined;
  const parsed = parseReference(url);
  return parsed?.kind === 'absolute' && parsed.type === compartment ? url : undefined;
}

/**
 * The id of an owner in a compartment of the partition at `base`; undefined for an owner in another compartment or
 * partition.
 */
export function idOfOwner(owner: string, compartment: string, base: string): string | undefined {
  const name = `${compartment}/`;
  if (owner.startsWith(name)) return owner.slice(name.length); // as most
  const url = `${base}/${name}`;
  return owner.startsWith(url) ? owner.slice(url.length) : undefined;
}

/**
 * The owners of a record, derived from its text, or from the parsed text if the caller has it; undefined for a type
 * without access links. Throws `TextDamaged`.
 */
export function ownersIn(
  extract: Extract,
  type: ResourceType,
  { text, parsed }: { readonly text: string; readonly parsed?: ParsedJson | undefined },
  { id, settings }: { readonly id: string; readonly settings: { readonly zone: string } },
): readonly string[] | undefined {
  const params = type.accessLinks.flatMap(({ parameter }) => type.indexed.get(parameter) ?? []);
  if (params.length === 0) return undefined;
  return ownersOf(type, extract(withOnly(type, params), text, { id, zone: settings.zone }, parsed));
}

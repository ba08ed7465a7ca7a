import type { ParsedJson } from '../fhir/json.ts';
import type { ResourceType } from '../model/model.ts';
import type { PartitionIdentity } from '../store/port/partitions.ts';
import type { Extract } from './extract.ts';
import { withOnly } from './only.ts';
import { ownersOf } from './owners.ts';

/**
 * The owners of a record, derived from its text, or from the parsed text if the caller has it; undefined for a type
 * without access links. Throws `TextDamaged`.
 */
export function ownersIn(
  extract: Extract,
  type: ResourceType,
  { text, parsed }: { readonly text: string; readonly parsed?: ParsedJson | undefined },
  { id, settings }: PartitionIdentity,
): readonly string[] | undefined {
  const params = type.accessLinks.flatMap(({ parameter }) => type.indexed.get(parameter) ?? []);
  if (params.length === 0) return undefined;
  return ownersOf(type, extract(withOnly(type, params), text, { id, zone: settings.zone }, parsed));
}

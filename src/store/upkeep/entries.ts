import { TextDamaged } from '../../fhir/stored-text.ts';
import type { IndexEntry } from '../../indexing/entry.ts';
import type { ResourceType } from '../../model/model.ts';
import type { StoreOptions } from '../port/store.ts';
import { jsonFault } from '../record/faults.ts';

/**
 * The index entries of a stored text; undefined if it is damaged, which is reported to `fault`: its entries are
 * unknown.
 */
export function entriesOfStored(
  { extract, fault }: Partial<Pick<StoreOptions, 'fault'>> & Pick<StoreOptions, 'extract'>,
  type: ResourceType,
  text: string,
  partition: { readonly id: string; readonly zone: string },
): readonly IndexEntry[] | undefined {
  try {
    return extract(type, text, partition);
  } catch (error) {
    if (jsonFault(text) === undefined) throw error;
    fault?.(new TextDamaged());
    return undefined;
  }
}

import { fhirError } from '../../fhir/error.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Store } from '../../store/port/store.ts';

/** Opens the partition of an id. Throws FhirError 404 with the form of a base URL if there is none. */
export async function findPartition(store: Pick<Store, 'partition'>, publicUrl: string, id = ''): Promise<Partition> {
  const found = /^[a-z0-9-]{1,32}$/.test(id) ? await store.partition(id) : undefined;
  if (found === undefined) {
    const text = `There is no partition \`${id}\`. The base URL is \`${publicUrl}/r4/{partition}\`.`;
    throw fhirError(404, 'not-found', text + hintOf(id, publicUrl));
  }
  return found;
}

/** A hint for a base URL without its closing slash before the rest of the path, and for one without a partition. */
function hintOf(id: string, publicUrl: string): string {
  const [, before, rest] =
    /^([a-z0-9-]{0,32}?)([A-Z][A-Za-z]{0,63}|metadata|openapi\.json|_history|_search)$/.exec(id) ?? [];
  if (rest === undefined) return '';
  return before === undefined || before === ''
    ? ` The partition is missing before \`${rest}\`: \`${publicUrl}/r4/{partition}/${rest}\`.`
    : ` A slash is missing after the base URL: \`${publicUrl}/r4/${before}/${rest}\`.`;
}

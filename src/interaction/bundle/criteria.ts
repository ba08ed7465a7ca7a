import { FhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { Indexed } from '../../search/matches.ts';
import { matches } from '../../search/matches.ts';
import { parseSearch } from '../../search/parse/search.ts';
import { withIndexed } from '../../search/with-indexed.ts';
import type { LoadContext } from '../write/context.ts';

/** The result of criteria such as `identifier=urn:x|1`. */
export type CriteriaMatch =
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'none' | 'many' }
  /** The type is not declared, so it can neither be stored nor searched. */
  | { readonly kind: 'undeclared' }
  | { readonly kind: 'bad'; readonly issues: readonly Issue[] };

/**
 * Searches by criteria, also by parameters that clients cannot use, first among the resources of the same Bundle, then
 * in the store. https://hl7.org/fhir/R4/http.html#transaction
 */
export async function findByCriteria(
  context: LoadContext,
  typeName: string,
  criteria: string,
  sameBundle: readonly Indexed[] = [],
): Promise<CriteriaMatch> {
  const declared = context.model.types.get(typeName);
  if (declared === undefined) return { kind: 'undeclared' };
  const type = withIndexed(declared);
  const { model, partition, base } = context;
  try {
    const search = parseSearch(type, [...new URLSearchParams(criteria)], {
      model,
      base,
      zone: partition.settings.zone,
      handling: 'strict',
      now: context.now(),
    });
    if (search.query.kind === 'all') return { kind: 'many' };
    const inBundle = sameBundle.filter(resource => matches(search.query, resource)).map(({ id }) => id);
    const ids = inBundle.length > 0 ? inBundle : await inStore();
    const [id] = ids;
    if (id === undefined) return { kind: 'none' };
    return ids.length === 1 ? { kind: 'one', id } : { kind: 'many' };

    async function inStore(): Promise<readonly string[]> {
      const sort = [{ by: 'id', descending: false }] as const;
      const page = await partition.search(typeName, { query: search.query, sort, limit: 2 });
      return page.versions.map(version => version.id);
    }
  } catch (error) {
    if (error instanceof FhirError) return { kind: 'bad', issues: error.issues };
    throw error;
  }
}

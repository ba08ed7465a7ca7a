import { findPartition } from '../../http/request/access.ts';
import type { PageVisit } from '../../pages/visit.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Store } from '../../store/port/store.ts';

/** The partition of a visit. */
export interface VisitedPartition {
  readonly partition: Partition;
  /** `{publicUrl}/r4/{partition}`, no trailing slash. */
  readonly base: string;
}

/** The partition of an id. Throws FhirError 404 if there is none. */
export async function findPlace(
  { engine, publicUrl }: { readonly engine: { readonly store: Pick<Store, 'partition'> }; readonly publicUrl: string },
  id: string | undefined,
): Promise<VisitedPartition> {
  const partition = await findPartition(engine.store, publicUrl, id);
  return { partition, base: `${publicUrl}/r4/${partition.id}` };
}

/** The path of the sign-in to a partition, which returns to a page of this server. */
export const signInPath = ({ partition }: VisitedPartition, to: string): string =>
  `/explorer/${partition.id}/sign-in?${new URLSearchParams({ to }).toString()}`;

/** The page of a visit, to return to: with its query, unless it is the answer to a form. */
export const hereOf = ({ request, path }: PageVisit): string =>
  request.method === 'GET' ? (request.url ?? path) : path;

/**
 * The text if it is a path with an optional query of this server, as browsers read it; else undefined. A second slash
 * or a backslash would begin the name of another host. https://url.spec.whatwg.org/#path-start-state
 */
export function localPath(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) ? text : undefined;
}

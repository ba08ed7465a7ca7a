import type { Collection, Document } from 'mongodb';

export interface PageOptions {
  /** A field with unique values; default `_id`. */
  readonly by?: string;
  readonly within?: { readonly $gt?: string; readonly $gte?: string; readonly $lt?: string };
  readonly project?: Document;
  /** Documents in one page; default 100. */
  readonly size?: number;
}

/**
 * Documents in the order of a field, in pages, each read by its own operation: one open cursor would have one timeout
 * for all. `T` is the result of the projection.
 */
export async function* pagesOf<T extends object>(
  collection: Pick<Collection, 'collectionName'>,
  filter: Document,
  { by = '_id', within = {}, project = {}, size = 100 }: PageOptions = {},
): AsyncIterable<readonly T[]> {
  for (let range: Document = { $gt: '', ...within }; ;) {
    const page = await (collection as Collection) // of any documents
      .find({ ...filter, [by]: range })
      .project(project)
      .sort({ [by]: 1 })
      .limit(size)
      .toArray();
    if (page.length > 0) yield page as unknown as readonly T[]; // as the caller states
    const last = page.at(-1);
    if (last === undefined || page.length < size) return;
    range = { ...within, $gt: last[by] };
  }
}

/** The documents of the pages, one after the other. */
export async function* documentsOf<T extends object>(...of: Parameters<typeof pagesOf>): AsyncIterable<T> {
  for await (const page of pagesOf<T>(...of)) yield* page;
}

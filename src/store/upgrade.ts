import { StoreRefused } from './port/errors.ts';
import type { LayoutState } from './layout-change.ts';
import { parseStoreUrl } from './url.ts';

/**
 * Reads the layout of the store at a URL without changing it. Throws `StoreRefused` if there is no store, for a newer
 * layout and for other content.
 */
export async function readLayout(url: string): Promise<LayoutState> {
  const parsed = parseStoreUrl(url);
  if (parsed === undefined) throw new StoreRefused('The URL is not that of a store');
  if (parsed.kind === 'mongodb') return (await import('./mongo/layout-state.ts')).readMongoLayout(url);
  return (await import('./sqlite/layout-state.ts')).readSqliteLayout(parsed.file);
}

import type { Position } from '../../search/ast.ts';
import type { ResourceDocument } from './layout.ts';

/** What is read of a document for a page. */
export type Found = Pick<ResourceDocument, '_id' | 'version' | 'updated' | 'text' | 'owners' | 'o'>;

/** What is wanted of a search: so many documents behind a position, with these fields. */
export interface Wanted {
  readonly limit: number;
  readonly after: Position | undefined;
  readonly projection: Readonly<Record<string, 1>>;
}

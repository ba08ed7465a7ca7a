import type { Position } from '../../search/ast.ts';
import type { ResourceDocument } from './layout.ts';

/** The fields of a document for a page. */
export type FoundDocument = Pick<ResourceDocument, '_id' | 'version' | 'updated' | 'text' | 'owners' | 'o'>;

/** The requested page of a search: so many documents after a position, with these fields. */
export interface RequestedPage {
  readonly limit: number;
  readonly after: Position | undefined;
  readonly projection: Readonly<Record<string, 1>>;
}

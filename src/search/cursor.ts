import { badValue } from '../fhir/error.ts';
import type { Position } from './ast.ts';
import { createPageKeys } from './page-keys.ts';
import type { KeyDocuments } from './page-keys.ts';
import type { QueryPair } from './request.ts';

export type { KeyDocuments } from './page-keys.ts';

/** The state that the next page needs. */
export interface CursorContent {
  readonly partition: string;
  /** The path of the search below the base URL. */
  readonly path: string;
  /** Fingerprint of client, user, patient and scopes; empty without access control. */
  readonly caller: string;
  readonly used: readonly QueryPair[];
  readonly position: Position;
  /** The time of the first page, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** Encodes and decodes page tokens: encrypted and authenticated, so that they reveal nothing and cannot be forged. */
export interface Cursors {
  /** Base64url text for `_page_token`. */
  seal(content: CursorContent): string;
  /**
   * Throws the same FhirError 400 for a token that was altered, has expired, or belongs to another partition or path.
   */
  open(token: string, partition: string, path: string): CursorContent;
  /**
   * Ensures a key for new tokens; to be called before them. Reads the store only if another key is needed; else
   * undefined.
   */
  refresh(): Promise<void> | undefined;
}

/** The error of every invalid token: nothing that helps to forge one. */
export const badPageToken = (): Error =>
  badValue('_page_token', 'The `_page_token` is not valid: repeat the search and follow its next link.');

/**
 * Page tokens whose keys are in the store, so that they survive restarts and every process reads them: a new key every
 * 30 days, whose tokens are valid for 24 hours longer. `now` returns milliseconds since 1970 UTC.
 */
export async function createCursors(documents: KeyDocuments, now: () => number): Promise<Cursors> {
  const keys = await createPageKeys(documents, now);

  const seal = (content: CursorContent): string => {
    const { partition, path, caller, used, position, at } = content;
    return keys.seal(JSON.stringify([partition, path, caller, used, position.keys, position.id, at]));
  };

  const open = (token: string, partition: string, path: string): CursorContent => {
    const text = keys.open(token);
    const content = text === undefined ? undefined : read(text);
    if (content?.partition !== partition || content.path !== path) throw badPageToken();
    return content;
  };

  return { seal, open, refresh: () => keys.refresh() };
}

/** The content that `seal` encoded; it is authenticated. */
function read(text: string): CursorContent {
  const [partition, path, caller, used, keys, id, at] = JSON.parse(text) as [
    string,
    string,
    string,
    QueryPair[],
    Position['keys'],
    string,
    number,
  ];
  return { partition, path, caller, used, position: { keys, id }, at };
}

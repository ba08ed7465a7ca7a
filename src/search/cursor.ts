import { badValue } from '../fhir/error.ts';
import type { Position } from './ast.ts';
import { createPageKeys, NAME } from './page-keys.ts';
import type { KeyDocuments } from './page-keys.ts';
import type { QueryPair } from './request.ts';

export type { KeyDocuments } from './page-keys.ts';

/** Everything that the next page needs. */
export interface CursorContent {
  readonly partition: string;
  readonly type: string;
  /** Fingerprint of client, user, patient and scopes; empty without access control. */
  readonly caller: string;
  readonly used: readonly QueryPair[];
  readonly position: Position;
  /** When the search was first asked, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** Makes and reads page tokens: encrypted and authenticated, so that they show nothing and nobody else can write them. */
export interface Cursors {
  /** Base64url text for `_page_token`. */
  seal(content: CursorContent): string;
  /** Throws one and the same FhirError 400 for a token that was altered, cut, is too old, or belongs to another partition or type. */
  open(token: string, partition: string, type: string): CursorContent;
  /** Makes sure of the key for new tokens; to be called before them. Asks the store only when there is another; else undefined. */
  refresh(): Promise<void> | undefined;
}

/** What is told of every token that is no good: nothing that helps to make one. */
export const badPageToken = (): Error =>
  badValue('_page_token', 'The `_page_token` is not valid here: start the search anew and follow its next link.');

/**
 * Page tokens whose keys live in the store, so that they outlast restarts and every process reads them: a key for each 30 days,
 * whose tokens stay good for 24 hours after. `now` gives milliseconds since 1970 UTC.
 */
export async function createCursors(documents: KeyDocuments, now: () => number): Promise<Cursors> {
  const keys = await createPageKeys(documents, now);

  const seal = ({ partition, type, caller, used, position, at }: CursorContent): string =>
    keys.current().sealing.seal(JSON.stringify([partition, type, caller, used, position.keys, position.id, at]));

  const open = (token: string, partition: string, type: string): CursorContent => {
    const name = Buffer.from(token.slice(0, NAME * 2), 'base64url')
      .subarray(0, NAME)
      .toString('hex');
    const text = keys.find(name)?.sealing.open(token);
    const content = text === undefined ? undefined : read(text);
    if (content?.partition !== partition || content.type !== type) throw badPageToken();
    return content;
  };

  return { seal, open, refresh: () => keys.refresh() };
}

/** What `seal` wrote: it is authenticated. */
function read(text: string): CursorContent {
  const [partition, type, caller, used, keys, id, at] = JSON.parse(text) as [
    string,
    string,
    string,
    QueryPair[],
    Position['keys'],
    string,
    number,
  ];
  return { partition, type, caller, used, position: { keys, id }, at };
}

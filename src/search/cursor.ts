import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { badValue } from '../fhir/error.ts';
import type { Position } from './ast.ts';
import { createPageKeys, NAME } from './page-keys.ts';
import type { KeyDocuments, PageKey } from './page-keys.ts';
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
  /** Makes sure of the key for new tokens; to be called before them. Asks the store only when there is another. */
  refresh(): Promise<void>;
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

  const seal = (content: CursorContent): string => encrypt(content, keys.current()).toString('base64url');

  const open = (token: string, partition: string, type: string): CursorContent => {
    const sealed = Buffer.from(token, 'base64url');
    const key = keys.find(sealed.subarray(0, NAME).toString('hex'));
    // Decoding skips what is not base64url; the token must be exactly what was given out.
    if (key === undefined || sealed.toString('base64url') !== token) throw badPageToken();
    const content = decrypt(sealed, key);
    if (content?.partition !== partition || content.type !== type) throw badPageToken();
    return content;
  };

  return { seal, open, refresh: () => keys.refresh() };
}

/** Lengths in bytes: initialization vector, authentication tag. */
const VECTOR = 12;
const TAG = 16;
/** The first byte of what is encrypted. Deflating costs more than all the rest, so only long texts are worth it. */
const PLAIN = '\0';
const DEFLATED = Buffer.from([1]);
const WORTH_DEFLATING = 1000;
/** Vectors that are drawn at once. */
const VECTORS = 256;

function encrypt(content: CursorContent, key: PageKey): Buffer {
  const name = Buffer.from(key.name, 'hex');
  const vector = newVector();
  const cipher = createCipheriv('aes-256-gcm', key.secret, vector);
  cipher.setAAD(name);
  const { partition, type, caller, used, position, at } = content;
  const text = JSON.stringify([partition, type, caller, used, position.keys, position.id, at]);
  const isLong = text.length >= WORTH_DEFLATING;
  const body = isLong ? Buffer.concat([DEFLATED, deflateRawSync(text)]) : Buffer.from(`${PLAIN}${text}`);
  return Buffer.concat([name, vector, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

let vectors = Buffer.alloc(0);

/** Random, and never given twice. */
function newVector(): Buffer {
  if (vectors.length === 0) vectors = randomBytes(VECTOR * VECTORS);
  const vector = vectors.subarray(0, VECTOR);
  vectors = vectors.subarray(VECTOR);
  return vector;
}

function decrypt(sealed: Buffer, key: PageKey): CursorContent | undefined {
  if (sealed.length <= NAME + VECTOR + TAG) return undefined;
  const vector = sealed.subarray(NAME, NAME + VECTOR);
  const decipher = createDecipheriv('aes-256-gcm', key.secret, vector, { authTagLength: TAG });
  decipher.setAAD(sealed.subarray(0, NAME));
  decipher.setAuthTag(sealed.subarray(-TAG));
  try {
    const body = Buffer.concat([decipher.update(sealed.subarray(NAME + VECTOR, -TAG)), decipher.final()]);
    // Authenticated: it is what `encrypt` wrote.
    const text = body[0] === DEFLATED[0] ? inflateRawSync(body.subarray(1)) : body.subarray(1);
    const [partition, type, caller, used, keys, id, at] = JSON.parse(text.toString()) as [
      string,
      string,
      string,
      QueryPair[],
      Position['keys'],
      string,
      number,
    ];
    return { partition, type, caller, used, position: { keys, id }, at };
  } catch {
    return undefined;
  }
}

import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { badValue } from '../fhir/error.ts';
import type { Position } from './ast.ts';
import type { QueryPair } from './request.ts';

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
  /** Learns of keys that another process has made, at most once in ten seconds. */
  refresh(): Promise<void>;
  /** Makes a new key for new tokens; tokens of the key before it stay good for 24 hours. */
  rotate(): Promise<void>;
}

/** The documents that the key is kept in; `DocumentStore` of the store is one. */
export interface KeyDocuments {
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  putIfAbsent(key: string, value: unknown): Promise<unknown>;
}

/** What is told of every token that is no good: nothing that helps to make one. */
export const badPageToken = (): Error =>
  badValue('_page_token', 'The `_page_token` is not valid here: start the search anew and follow its next link.');

/**
 * Page tokens whose key lives in the store, so that they outlast restarts and every process reads them. `now` gives
 * milliseconds since 1970 UTC.
 */
export async function createCursors(documents: KeyDocuments, now: () => number): Promise<Cursors> {
  let ring = asRing(await documents.putIfAbsent(DOCUMENT, { keys: [newKey()] }));
  let read = now();

  const refresh = async (): Promise<void> => {
    if (now() - read < REFRESH) return;
    read = now();
    ring = asRing(await documents.get(DOCUMENT));
  };

  const rotate = async (): Promise<void> => {
    const [current, ...older] = asRing(await documents.get(DOCUMENT)).keys;
    const until = now() + GRACE;
    const kept = older.filter(key => key.until !== undefined && key.until > now());
    ring = { keys: [newKey(), ...(current === undefined ? [] : [{ ...current, until }]), ...kept] };
    await documents.put(DOCUMENT, ring);
  };

  const seal = (content: CursorContent): string => {
    const key = ring.keys[0];
    if (key === undefined) throw new Error('There is no key for page tokens in the store');
    return encrypt(content, key).toString('base64url');
  };

  const open = (token: string, partition: string, type: string): CursorContent => {
    const sealed = Buffer.from(token, 'base64url');
    const name = sealed.subarray(0, NAME).toString('hex');
    const key = ring.keys.find(key => key.name === name && (key.until === undefined || key.until > now()));
    // Decoding skips what is not base64url; the token must be exactly what was given out.
    if (key === undefined || sealed.toString('base64url') !== token) throw badPageToken();
    const content = decrypt(sealed, key);
    if (content?.partition !== partition || content.type !== type) throw badPageToken();
    return content;
  };

  return { seal, open, refresh, rotate };
}

const DOCUMENT = 'page-tokens';
const GRACE = 24 * 60 * 60 * 1000;
const REFRESH = 10_000;
/** Lengths in bytes: name of the key, initialization vector, authentication tag. */
const NAME = 4;
const VECTOR = 12;
const TAG = 16;
/** The first byte of what is encrypted. Deflating costs more than all the rest, so only long texts are worth it. */
const PLAIN = '\0';
const DEFLATED = Buffer.from([1]);
const WORTH_DEFLATING = 1000;
/** Vectors that are drawn at once. */
const VECTORS = 256;

interface Key {
  /** Hex, at the head of each token. */
  readonly name: string;
  /** 32 bytes in hex. */
  readonly secret: string;
  /** Milliseconds since 1970 UTC; undefined for the key in use. */
  readonly until?: number;
}

/** The key in use first. */
interface Ring {
  readonly keys: readonly Key[];
}

const newKey = (): Key => ({ name: randomBytes(NAME).toString('hex'), secret: randomBytes(32).toString('hex') });

/** What this file wrote; anything else means that the store is damaged. */
function asRing(document: unknown): Ring {
  if (typeof document === 'object' && document !== null && 'keys' in document) return document as Ring;
  throw new Error('The document of page token keys in the store cannot be read');
}

function encrypt(content: CursorContent, key: Key): Buffer {
  const name = Buffer.from(key.name, 'hex');
  const vector = newVector();
  const cipher = createCipheriv('aes-256-gcm', secretOf(key), vector);
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

const secrets = new WeakMap<Key, KeyObject>();

function secretOf(key: Key): KeyObject {
  const known = secrets.get(key);
  if (known !== undefined) return known;
  const secret = createSecretKey(Buffer.from(key.secret, 'hex'));
  secrets.set(key, secret);
  return secret;
}

function decrypt(sealed: Buffer, key: Key): CursorContent | undefined {
  if (sealed.length <= NAME + VECTOR + TAG) return undefined;
  const vector = sealed.subarray(NAME, NAME + VECTOR);
  const decipher = createDecipheriv('aes-256-gcm', secretOf(key), vector, { authTagLength: TAG });
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

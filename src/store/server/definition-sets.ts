import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { DefinitionSet } from '../../definitions/source.ts';
import type { DocumentStore } from '../port/documents.ts';
import type { Store } from '../port/store.ts';

/** How a set of definitions came into use. */
export type Activation = 'start' | 'reload' | 'rollback';

/** A set of definitions in the store. */
export interface StoredSet {
  /** The digest of its model: the version of the interface in `/metadata` is the beginning of it. */
  readonly digest: string;
  /** When it came into use, in milliseconds since 1970 UTC. */
  readonly activated: number;
  readonly by: Activation;
  /** Numbers of declared resource types and search parameters. */
  readonly types: number;
  readonly parameters: number;
}

interface Stored extends StoredSet {
  readonly interface: DefinitionSet['interface'];
  /** Its contents: the list of files, with those that are small, and then each package. */
  readonly contents: readonly Content[];
}

/** Bytes in documents with the keys `{digest}/{number}`. */
interface Content {
  readonly digest: string;
  readonly parts: number;
}

/** A file in the list: its bytes as text in Latin-1, or the digest of a content. */
type Listed = readonly [file: string, declares: 0 | 1, text: string | null, digest: string];

/** Number of stored sets. */
const mostSets = 5;

/** The stored sets of definitions, the last five that came into use: what `definitions rollback` can restore. */
export interface DefinitionSets {
  /** The one that came into use last first. */
  list(): Promise<readonly StoredSet[]>;
  /** Stores a set that comes into use, unless it is the last one already; returns when that came into use. */
  keep(about: StoredSet, set: DefinitionSet): Promise<StoredSet>;
  /** Undefined if it is not, or no longer completely, stored. */
  read(digest: string): Promise<DefinitionSet | undefined>;
  /** The rollback that is in force; undefined: the definitions are those of the files. */
  restored(): Promise<Restored | undefined>;
  /** Puts a rollback in force, or ends it. */
  putRestored(restored: Restored | undefined): Promise<void>;
}

/** Digests of the set that the files had at a rollback, and of the one that was restored. */
export interface Restored {
  readonly from: string;
  readonly to: string;
}

const restoredKey = 'restored-definitions';

/** Files from this size on are stored once for all sets that have them. */
const large = 256 * 1024;
/** Bytes of a content in a document. */
const partLength = 1024 * 1024;

export function createDefinitionSets(store: Pick<Store, 'documents'>): DefinitionSets {
  const sets = store.documents('definition-sets');
  const files = store.documents('definition-files');
  const server = store.documents('server');

  const list = async (): Promise<readonly Stored[]> => {
    const found: Stored[] = [];
    for await (const { value } of sets.list()) found.push(value as Stored); // only `keep` writes them
    return found.sort((a, b) => b.activated - a.activated);
  };
  const removeOld = async (): Promise<void> => {
    const all = await list();
    const old = all.slice(mostSets);
    const used = new Set(all.slice(0, mostSets).flatMap(({ contents }) => contents.map(({ digest }) => digest)));
    for (const { digest, contents } of old) {
      await sets.delete(digest);
      for (const one of contents.filter(content => !used.has(content.digest)))
        for (let part = 0; part < one.parts; part++) await files.delete(`${one.digest}/${part}`);
    }
  };
  return {
    list,
    async keep(about, set) {
      const [last] = await list();
      if (last?.digest === about.digest) return last;
      const known = (await sets.get(about.digest)) as Stored | undefined;
      const contents = known?.contents ?? (await putContents(files, set));
      const stored: Stored = { ...about, interface: set.interface, contents };
      await sets.put(about.digest, stored);
      await removeOld();
      return stored;
    },
    async read(digest) {
      const stored = (await sets.get(digest)) as Stored | undefined;
      return stored && readContents(files, stored);
    },
    restored: async () => (await server.get(restoredKey)) as Restored | undefined, // only `putRestored` writes it
    async putRestored(restored) {
      if (restored !== undefined) await server.put(restoredKey, restored);
      else if ((await server.get(restoredKey)) !== undefined) await server.delete(restoredKey);
    },
  };
}

const zip = promisify(gzip);
const unzip = promisify(gunzip);

async function putContents(files: DocumentStore, set: DefinitionSet): Promise<readonly Content[]> {
  const packages = set.files.filter(({ bytes }) => bytes.length >= large);
  const list = set.files.map(({ file, declares, bytes }): Listed => {
    const isLarge = bytes.length >= large;
    return [file, declares ? 1 : 0, isLarge ? null : bytes.toString('latin1'), isLarge ? hash('sha256', bytes) : ''];
  });
  const contents = [await putContent(files, await zip(JSON.stringify(list)))];
  for (const { bytes } of packages) contents.push(await putContent(files, bytes));
  return contents;
}

async function putContent(files: DocumentStore, bytes: Buffer): Promise<Content> {
  const digest = hash('sha256', bytes);
  const parts = Math.ceil(bytes.length / partLength);
  for (let part = 0; part < parts; part++) {
    const of = bytes.subarray(part * partLength, (part + 1) * partLength).toString('base64');
    await files.put(`${digest}/${part}`, of, { ifAbsent: true });
  }
  return { digest, parts };
}

async function readContents(
  files: DocumentStore,
  { interface: name, contents }: Stored,
): Promise<DefinitionSet | undefined> {
  const found = new Map<string, Buffer>();
  for (const { digest, parts } of contents) {
    const read = await Promise.all(Array.from({ length: parts }, (_, part) => files.get(`${digest}/${part}`)));
    const bytes = Buffer.concat(read.map(part => Buffer.from(String(part), 'base64')));
    if (hash('sha256', bytes) !== digest) return undefined;
    found.set(digest, bytes);
  }
  const [list] = contents;
  const zipped = found.get(list?.digest ?? '');
  if (zipped === undefined) return undefined;
  const listed = JSON.parse((await unzip(zipped)).toString()) as readonly Listed[];
  const all = listed.map(([file, declares, text, digest]) => ({
    file,
    declares: declares === 1,
    bytes: text === null ? found.get(digest) : Buffer.from(text, 'latin1'),
  }));
  const complete = all.flatMap(({ bytes, ...more }) => (bytes === undefined ? [] : [{ ...more, bytes }]));
  return complete.length === all.length ? { interface: name, files: complete } : undefined;
}

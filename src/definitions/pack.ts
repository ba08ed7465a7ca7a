import { hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asObject } from '../fhir/json-object.ts';
import type { Definition } from './definition.ts';
import { readIndex, scanPack } from './pack-index.ts';
import type { PackIndex } from './pack-index.ts';

/** Names of the R4 packs under `profiles/`: definitions of the interface, and of codes. */
export const packFile = 'r4-core.ndjson';
export const terminologyFile = 'r4-terminology.ndjson';
/** The file with the origin of both. */
export const originFile = 'r4-core.origin.json';

/** The definitions of both packs in a folder `profiles`. */
export function readPacks(profiles: string): {
  readonly definitions: readonly Definition[];
  readonly digests: readonly string[];
} {
  const packs = [packFile, terminologyFile].map(name => readPack(join(profiles, name), `profiles/${name}`));
  return {
    definitions: packs.flatMap(({ definitions }) => definitions),
    digests: packs.map(({ digest }) => digest),
  };
}

/** The file of a pack's index, beside it. */
export const indexOf = (file: string): string => file.replace(/\.ndjson$/, '.index');

/**
 * Reads the index of an R4 pack (see distil.ts): one definition per line of the pack, which is read and parsed when it
 * is used and not kept. Without an index, or with that of a pack of another length, the heads of the lines are read.
 * `name` is the file's name in problems. Throws Error for a line that does not begin as `reduce` prints it.
 */
export function readPack(
  file: string,
  name: string,
): { readonly definitions: readonly Definition[]; readonly digest: string } {
  const { digest, entries } = indexed(file) ?? scanned(file, name);
  const read = reader(file);
  const definitions = entries.map(
    ({ resourceType, url, version, concrete, parameter, caseSensitive, start, end }, at): Definition => ({
      resourceType,
      url,
      version,
      file: name,
      path: `line ${at + 1}`,
      package: undefined,
      core: true,
      concrete,
      parameter,
      ...(caseSensitive === undefined ? {} : { caseSensitive }),
      resource: () => asObject(JSON.parse(read(start, end))),
    }),
  );
  return { definitions, digest };
}

function indexed(file: string): PackIndex | undefined {
  const index = indexOf(file);
  return index !== file && existsSync(index) ? readIndex(readFileSync(index, 'utf8'), statSync(file).size) : undefined;
}

function scanned(file: string, name: string): PackIndex {
  const bytes = readFileSync(file);
  return { digest: hash('sha256', bytes), entries: scanPack(bytes, name) };
}

/** Reads a part of a file, which stays open from the first time on: a file that is replaced later is read as it was. */
function reader(path: string): (start: number, end: number) => string {
  let file: number | undefined;
  return (start, end) => {
    file ??= openSync(path, 'r');
    const bytes = Buffer.allocUnsafe(end - start);
    if (readSync(file, bytes, 0, bytes.length, start) < bytes.length) {
      closeSync(file);
      file = undefined;
      throw new Error(`${path} is shorter than its index says; make it again with \`npm run distil\``);
    }
    return bytes.toString('utf8');
  };
}

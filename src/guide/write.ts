import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../fhir/json-object.ts';
import { makeFolder } from '../store/files/durable.ts';

/**
 * Writes a resource as a file into a folder without JSON files, since all statements of a capability folder are
 * combined; returns its path. Throws Error if there is one.
 */
export async function writeNew(folder: string, name: string, resource: JsonObject): Promise<string> {
  makeFolder(folder, 0o777); // not secret: the umask decides
  const there = (await readdir(folder)).find(file => file.endsWith('.json'));
  if (there !== undefined)
    throw new Error(
      `${join(folder, there)} exists, and would be combined with it; choose another folder with \`--out\`.`,
    );
  const file = join(folder, name);
  await writeFile(file, `${JSON.stringify(resource, null, 2)}\n`, { flag: 'wx' });
  return file;
}

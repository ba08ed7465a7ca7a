import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../fhir/json-object.ts';

/**
 * Writes a resource as a file into a folder that has no JSON yet, since all statements of a capability folder add up; gives its
 * path. Throws Error where there is some.
 */
export async function writeNew(folder: string, name: string, resource: JsonObject): Promise<string> {
  await mkdir(folder, { recursive: true });
  const there = (await readdir(folder)).find(file => file.endsWith('.json'));
  if (there !== undefined)
    throw new Error(`${join(folder, there)} is there, and would count too; choose another folder with \`--out\`.`);
  const file = join(folder, name);
  await writeFile(file, `${JSON.stringify(resource, null, 2)}\n`, { flag: 'wx' });
  return file;
}

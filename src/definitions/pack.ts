import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { asObject } from './json-object.ts';
import type { Definition } from './definition.ts';

/** Names of the R4 pack and of the file that tells its origin, under `profiles/`. */
export const packFile = 'r4-core.ndjson';
export const originFile = 'r4-core.origin.json';

/**
 * Reads the R4 pack (see distil.ts): one definition a line, in bytes, of which only the head is looked at until somebody
 * asks for the resource. `name` is what problems call the file. Throws where a line does not begin as `reduce` prints it.
 */
export function readPack(
  file: string,
  name: string,
): { readonly definitions: readonly Definition[]; readonly digest: string } {
  const bytes = readFileSync(file);
  const definitions: Definition[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const from = start;
    const text = bytes.toString('latin1', start, Math.min(end, start + 500));
    const found = head.exec(text);
    if (found === null)
      throw new Error(`${name} line ${line} is not a line of the R4 pack; make it again with \`npm run distil\``);
    const [, resourceType = '', url = '', version] = found;
    definitions.push({
      resourceType,
      url,
      version,
      file: name,
      path: `line ${line}`,
      package: undefined,
      core: true,
      concrete: concrete.exec(text)?.[1],
      resource: () => asObject(JSON.parse(bytes.toString('utf8', from, end))),
    });
    start = end + 1;
  }
  return { definitions, digest: hash('sha256', bytes) };
}

const head = /^\{"resourceType":"(\w+)","url":"([^"\\]+)"(?:,"version":"([^"\\]+)")?/;

/** `kind` up to `derivation` as reduce.ts prints them. */
const concrete =
  /"kind":"resource","abstract":false,"type":"(\w+)","baseDefinition":"[^"]+","derivation":"specialization"/;

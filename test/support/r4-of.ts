import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { onMongodb } from './store-place.ts';

const allR4 = fileURLToPath(new URL('../fixtures/all-r4/capability', import.meta.url));

/** A resource type in test/fixtures/all-r4. */
export interface DeclaredType {
  readonly type: string;
  readonly extension: readonly object[];
}

interface Declared {
  readonly resource: readonly DeclaredType[];
  readonly compartment: readonly string[];
}

/**
 * The capability folder that declares all types of R4. On MongoDB one that declares only these types and List (for
 * `_list`), in the same way: a database with the indexes of all types takes it a minute. `change` changes types.
 */
export function r4Of(names: readonly string[], change?: (type: DeclaredType) => DeclaredType): string {
  if (!onMongodb && change === undefined) return allR4;
  return folderOf(onMongodb ? names : undefined, change);
}

/** A capability folder that declares these types of R4 and List (for `_list`), in the same way. */
export const onlyOfR4 = (names: readonly string[]): string => folderOf(names, undefined);

function folderOf(
  names: readonly string[] | undefined,
  change: ((type: DeclaredType) => DeclaredType) | undefined,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'some-of-r4-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  cpSync(allR4, folder, { recursive: true }); // with its named queries
  const path = join(folder, 'all-r4.json');
  const statement = JSON.parse(readFileSync(path, 'utf8')) as { rest: [Declared & JsonObject] };
  const [rest] = statement.rest;
  const declared = rest.resource.filter(({ type }) => names === undefined || type === 'List' || names.includes(type));
  const resource = change === undefined ? declared : declared.map(change);
  const compartment = rest.compartment.filter(url =>
    resource.some(({ type }) => url.toLowerCase().endsWith(`/${type.toLowerCase()}`)),
  );
  const { compartment: _, ...others } = rest;
  const compartments = compartment.length > 0 && { compartment }; // an empty list would be refused
  writeFileSync(path, JSON.stringify({ ...statement, rest: [{ ...others, resource, ...compartments }] }));
  return folder;
}

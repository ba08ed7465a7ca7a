import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { resourcesIn } from '../definitions/definition.ts';
import { isDefinitionFile, isRefusal, refusalText } from '../definitions/unpack.ts';
import { readTar } from '../definitions/tar.ts';

/**
 * The CapabilityStatements for servers in a FHIR package (`.tgz`), of any kind: a guide's are mostly of kind
 * requirements. Throws Error for an archive that is rejected or damaged, and the errors of the file system.
 * https://hl7.org/fhir/R4/capabilitystatement.html
 */
export async function readServerStatements(path: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  const archive = Readable.from([await readFile(path)]).pipe(createGunzip());
  try {
    for await (const { bytes } of readTar(archive, isDefinitionFile)) {
      if (!bytes.includes('CapabilityStatement')) continue;
      for (const { resource } of resourcesIn(parse(bytes))) if (isForServers(resource)) found.push(resource);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new Error(`${path}: ${refusalText(error)}`, { cause: error });
  }
  return found;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined; // reported where the package is loaded
  }
}

const isForServers = ({ resourceType, rest }: JsonObject): boolean =>
  resourceType === 'CapabilityStatement' && objectsOf(rest).some(({ mode }) => mode === 'server');

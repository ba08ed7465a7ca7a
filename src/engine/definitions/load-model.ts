import type { Config } from '../../config/read.ts';
import { readSources } from '../../definitions/source.ts';
import { compileFound, type LoadedModel, programPlaces, usable, type UsableModel } from './compile-set.ts';

export type { Problem } from '../../definitions/problem.ts';
export type { LoadedModel } from './compile-set.ts';

/** The places of definitions: the settings of a server or of a command have them. */
export interface DefinitionPlaces {
  readonly definitions: readonly string[];
  readonly interface?: Config['interface'] | undefined;
  readonly capability?: string | undefined;
  readonly root?: string | undefined;
  /**
   * Folders; the first that belongs to this user caches unpacked packages; those of the checkout if undefined.
   */
  readonly cache?: readonly string[] | undefined;
}

/**
 * Reads the definitions of the three shipped folders (`root` is their checkout), of `--definitions` folders and
 * packages, with `capability` instead of the shipped folder of that name, checks them against the base definitions, and
 * compiles them to a model.
 */
export async function loadModel(places: DefinitionPlaces): Promise<LoadedModel> {
  const name = places.interface ?? 'shipped';
  const { files, ...found } = await readSources({
    definitions: places.definitions,
    capability: name === 'r4' ? false : places.capability,
    ...programPlaces(places),
  });
  return compileFound(found, { interface: name, files }, places.capability);
}

/** Like loadModel, for callers that need a model: throws one Error with a line for each problem. */
export async function requireModel(places: DefinitionPlaces): Promise<UsableModel> {
  return usable(await loadModel(places));
}

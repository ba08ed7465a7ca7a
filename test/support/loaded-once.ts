import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModel as load, requireModel as require } from '../../src/engine/definitions/load-model.ts';

type Sources = Parameters<typeof load>[0];

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const kept = new Map<string, Promise<unknown>>();

/** As `loadModel` of src; definitions of this checkout, which no test changes, are loaded once in this process. */
export const loadModel = (sources: Sources): ReturnType<typeof load> => once(load, sources);

/** As `requireModel` of src, in the same way. */
export const requireModel = (sources: Sources): ReturnType<typeof require> => once(require, sources);

function once<T>(how: (sources: Sources) => Promise<T>, sources: Sources): Promise<T> {
  const { definitions, capability, root, cache, interface: name } = sources;
  const paths = [...definitions, capability ?? checkout].map(path => resolve(path));
  const isOurs = paths.every(path => `${path}${sep}`.startsWith(checkout));
  if (!isOurs || root !== undefined || cache !== undefined) return how(sources);
  const key = JSON.stringify([how.name, name, paths]);
  const found = kept.get(key) ?? how(sources);
  kept.set(key, found);
  return found as Promise<T>; // each is kept under the name of what made it
}

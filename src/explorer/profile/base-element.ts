import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { FindSnapshot, Snapshot } from '../../model/snapshot/snapshot.ts';

/** Finds the element of the base of a profile by the id of an element of the profile; undefined for a new one. */
export type BaseOf = (id: string) => JsonObject | undefined;

/**
 * The base element of an element is that of the base definition without its slices; below an element of a data type,
 * that of the data type. https://hl7.org/fhir/R4/profiling.html
 */
export function createBaseOf(find: FindSnapshot, baseDefinition: string | undefined): BaseOf {
  const base = baseDefinition === undefined ? undefined : find(baseDefinition);
  const byPath = base === undefined ? new Map<string, JsonObject>() : pathsOf(base);
  const elementAt = (path: string): JsonObject | undefined => {
    const known = byPath.get(path);
    const at = path.lastIndexOf('.');
    if (known !== undefined || at === -1) return known;
    const parent = elementAt(path.slice(0, at));
    const [type] = objectsOf(parent?.['type']);
    const code = asString(type?.['code']);
    const content = code === undefined || !/^[A-Za-z]+$/.test(code) ? undefined : find(code);
    return content && pathsOf(content).get(`${content.type}${path.slice(at)}`);
  };
  return id => elementAt(id.replaceAll(/:[^.]*/g, ''));
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, JsonObject>>();

/** The elements of a snapshot by their paths, without those of slices. */
function pathsOf(snapshot: Snapshot): ReadonlyMap<string, JsonObject> {
  const cached = known.get(snapshot);
  if (cached !== undefined) return cached;
  const whole = snapshot.elements.filter(({ id }) => !String(id).includes(':'));
  const paths = new Map(whole.map(element => [String(element['path']), element]));
  known.set(snapshot, paths);
  return paths;
}

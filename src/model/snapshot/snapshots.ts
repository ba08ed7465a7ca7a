import type { Definition } from '../../definitions/definition.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import { asObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { generateSnapshot } from './generate.ts';
import type { FindSnapshot, Snapshot } from './snapshot.ts';

/** Finds the StructureDefinition of a canonical; undefined if it is not loaded. */
export type FindStructure = (canonical: string) => JsonObject | undefined;

/**
 * Snapshots by canonical (with or without version) or by the name of a type of R4: the published one, else one that is
 * generated from the differential at its first use, and cached. https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export function createSnapshots(structureOf: FindStructure): FindSnapshot {
  const kept = new Map<JsonObject, Snapshot>();
  const begun = new Set<JsonObject>();
  const snapshotOf = (structure: JsonObject): Snapshot => {
    const there = kept.get(structure);
    if (there !== undefined) return there;
    if (begun.has(structure)) return circular(structure);
    begun.add(structure);
    const snapshot = published(structure) ?? generateSnapshot(structure, find);
    kept.set(structure, snapshot);
    return snapshot;
  };
  const find: FindSnapshot = canonical => {
    const structure = structureOf(/^[\w.-]+$/.test(canonical) ? `${base}${canonical}` : canonical);
    return structure === undefined ? undefined : snapshotOf(structure);
  };
  return find;
}

/**
 * Snapshots of loaded definitions. The types of R4 are those of R4 itself (4.0.1) if they are loaded; of its extensions
 * and profiles the newest version is used, as of all others.
 */
export function snapshotsOf(definitions: Definitions): FindSnapshot {
  const structures = new Map<Definition, JsonObject>(); // one object for a definition, by any of its names
  const structureOf = (definition: Definition): JsonObject => {
    const structure = structures.get(definition) ?? definition.resource();
    structures.set(definition, structure);
    return structure;
  };
  return createSnapshots(canonical => {
    const newest = definitions.find('StructureDefinition', canonical);
    if (newest === undefined) return undefined;
    const isOfR4 = canonical.startsWith(base) && !canonical.includes('|');
    const own = isOfR4 ? definitions.find('StructureDefinition', `${canonical}|4.0.1`) : undefined;
    const isType = own !== undefined && own !== newest && structureOf(own)['derivation'] !== 'constraint';
    return structureOf(isType ? own : newest);
  });
}

const base = 'http://hl7.org/fhir/StructureDefinition/';

function published(structure: JsonObject): Snapshot | undefined {
  const elements = objectsOf(asObject(structure['snapshot'])['element']);
  if (elements.length === 0) return undefined;
  return { url: String(structure['url']), type: String(structure['type']), structure, elements, problems: [] };
}

function circular(structure: JsonObject): Snapshot {
  const [url, type] = [String(structure['url']), String(structure['type'])];
  const text = `\`${url}\` refers to itself, by its bases or its type profiles.`;
  return { url, type, structure, elements: [], problems: [{ element: type, text }] };
}

import type { JsonObject } from '../fhir/json-object.ts';

/** The sections of shared parts that the document uses. https://spec.openapis.org/oas/v3.1.1.html#components-object */
export type Section = 'schemas' | 'parameters' | 'headers' | 'responses' | 'examples' | 'securitySchemes';

/** The shared parts of a document, which is small because each is in it once. */
export interface Components {
  /** The reference to a part; `make` is called if there is no part with this key. It may refer to itself. */
  share(section: Section, key: string, make: () => JsonObject): JsonObject;
  /** The reference to a part with this content; a number is added to the key if another part has it. */
  shareEqual(section: Section, key: string, part: JsonObject): JsonObject;
  /** The `components` of the document, with all parts so far. */
  toJson(): JsonObject;
}

export function createComponents(): Components {
  const sections = new Map<Section, Map<string, JsonObject>>();
  const equal = new Map<string, JsonObject>();
  const partsOf = (section: Section): Map<string, JsonObject> => {
    const parts = sections.get(section) ?? new Map<string, JsonObject>();
    sections.set(section, parts);
    return parts;
  };
  return {
    share(section, key, make) {
      const parts = partsOf(section);
      if (!parts.has(key)) {
        parts.set(key, {}); // its place, and the end of a recursion
        parts.set(key, make());
      }
      return refTo(section, key);
    },
    shareEqual(section, key, part) {
      const content = JSON.stringify([section, key, part]);
      const there = equal.get(content);
      if (there !== undefined) return there;
      const parts = partsOf(section);
      let free = key;
      for (let at = 2; parts.has(free); at++) free = `${key}-${at}`;
      parts.set(free, part);
      const ref = refTo(section, free);
      equal.set(content, ref);
      return ref;
    },
    toJson: () => Object.fromEntries([...sections].map(([section, parts]) => [section, Object.fromEntries(parts)])),
  };
}

const refTo = (section: Section, key: string): JsonObject => ({ $ref: `#/components/${section}/${key}` });

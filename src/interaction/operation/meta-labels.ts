import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';

/**
 * The profiles, security labels and tags of a Meta; a profile is identified by its canonical, a label by system and
 * code. https://hl7.org/fhir/R4/resource.html#Meta
 */
export interface Labels {
  readonly profile: ReadonlyMap<string, string>;
  readonly security: ReadonlyMap<string, JsonObject>;
  readonly tag: ReadonlyMap<string, JsonObject>;
}

export function labelsOf(meta: unknown): Labels {
  const { profile, security, tag } = asObject(meta);
  const codings = (list: unknown) => new Map(objectsOf(list).map(coding => [keyOf(coding), coding]));
  return {
    profile: new Map(stringsOf(profile).map(one => [one, one])),
    security: codings(security),
    tag: codings(tag),
  };
}

const keyOf = ({ system, code, display }: JsonObject): string =>
  JSON.stringify([asString(system), asString(code), code === undefined ? asString(display) : undefined]);

/** Both, in the order of the first; what both have is that of the first. */
export function withLabels(first: Labels, second: Labels): Labels {
  const both = <Value>(a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>) =>
    new Map([...a, ...[...b].filter(([key]) => !a.has(key))]);
  return {
    profile: both(first.profile, second.profile),
    security: both(first.security, second.security),
    tag: both(first.tag, second.tag),
  };
}

/** The labels of the first that the second does not have. */
export function withoutLabels(first: Labels, second: Labels): Labels {
  const without = <Value>(a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>) =>
    new Map([...a].filter(([key]) => !b.has(key)));
  return {
    profile: without(first.profile, second.profile),
    security: without(first.security, second.security),
    tag: without(first.tag, second.tag),
  };
}

/** The elements of a Meta with these labels; FHIR has no empty arrays. */
export const elementsOf = (labels: Labels): JsonObject =>
  Object.fromEntries(
    Object.entries(labels)
      .map(([name, values]: [string, ReadonlyMap<string, unknown>]) => [name, [...values.values()]] as const)
      .filter(([, values]) => values.length > 0),
  );

import { isObject } from '../../fhir/json-object.ts';

/** The types of Bundles that contain records; others (document, message, history) are records themselves. */
export type ContainerType = (typeof containerTypes)[number];

const containerTypes = ['batch', 'transaction', 'collection', 'searchset'] as const;

/** The type of a Bundle that contains records; undefined for every other value. */
export function containerType(value: unknown): ContainerType | undefined {
  if (!isObject(value) || value['resourceType'] !== 'Bundle') return undefined;
  return containerTypes.find(type => type === value['type']);
}

/**
 * The Bundle outside of its entries, and the destinations of entries with a fullUrl of their own.
 * https://hl7.org/fhir/R4/bundle.html
 */
export interface BundleHead {
  readonly type: ContainerType;
  /** The Bundle without its entries. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** True if entries are independent, so that they can be loaded one by one. */
  readonly independent: boolean;
  /** Destinations by the fullUrl, unless that is the RESTful URL of the resource. */
  readonly targets: Targets;
}

/** The destinations of a Bundle's resources, by their fullUrl. */
export type Targets = Map<string, Target>;

export interface Target {
  /** `Type/id`. */
  readonly reference: string;
  /** False until it is known whether a conditional create or update matches an existing resource. */
  readonly settled: boolean;
}

/** Decides the ids of entries. */
export interface Addressing {
  readonly base: string;
  /** An id for a resource without one, the same whenever this input is loaded. */
  newId(at: string): string;
}

/**
 * What a link leads to by `find`, which takes a fullUrl: a version in the link is left out, and a relative reference
 * has the base of the RESTful fullUrl of its entry. https://hl7.org/fhir/R4/bundle.html#references
 */
export function targetOf<T>(link: string, fullUrl: string | undefined, find: (url: string) => T): T {
  const name = link.replace(/(?<=[^/])\/_history\/[^/]*$/, '');
  if (fullUrl === undefined || !/^https?:/i.test(fullUrl) || !/^[A-Z][A-Za-z]*\/[^/]+$/.test(name)) return find(name);
  return find(`${fullUrl.split('/').slice(0, -2).join('/')}/${name}`);
}

import { isObject } from '../../fhir/json-object.ts';

/** The types of Bundles that contain records; others (document, message, history) are records themselves. */
export type ContainerType = (typeof containerTypes)[number];

const containerTypes = ['batch', 'transaction', 'collection', 'searchset'] as const;

/** The type of a Bundle that contains records; undefined for every other value. */
export function containerType(value: unknown): ContainerType | undefined {
  if (!isObject(value) || value['resourceType'] !== 'Bundle') return undefined;
  return containerTypes.find(type => type === value['type']);
}

import type { Model } from '../../model/model.ts';
import { findReferences } from '../../validation/references.ts';
import type { FoundReference } from '../../validation/references.ts';
import type { Link } from './link.ts';

/** The place of a link, as `Observation.subject.reference`; that of its resource if it is unknown. */
export type PlaceOfLink = (link: Link) => string;

/**
 * The places of the references of a resource, for errors: they are found at the first call. `root` is the place of the
 * resource. Links with the same text have their places in the order of the calls.
 * https://hl7.org/fhir/R4/operationoutcome.html
 */
export function createLinkPlaces(
  model: Pick<Model, 'definitions'>,
  root: string,
  resourceOf: () => unknown,
): PlaceOfLink {
  const known = new Map<Link, string>();
  let left: Map<string, Iterator<string>> | undefined;
  return link => {
    left ??= placesByText(model, root, resourceOf());
    const place = known.get(link) ?? left.get(link.text)?.next().value ?? root;
    known.set(link, place);
    return place;
  };
}

function placesByText(
  model: Pick<Model, 'definitions'>,
  root: string,
  resource: unknown,
): Map<string, Iterator<string>> {
  const found = Map.groupBy(findReferences(resource, plain, model), ({ text }) => text);
  const place = ({ expression }: FoundReference): string => root + expression.slice(plain.name.length);
  return new Map([...found].map(([text, all]) => [text, all.map(place).values()]));
}

/** What each expression begins with. */
const plain = { name: 'Resource' };

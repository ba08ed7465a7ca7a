import type { Model } from '../../model/model.ts';
import { findReferences } from '../../validation/references.ts';
import type { Link } from './link.ts';

/** The place of a link within its resource, as `.subject.reference`; empty if it is unknown. */
export type PlaceOfLink = (link: Link) => string;

/**
 * The places of the references of a resource, for errors: they are found at the first call. Links with the same text
 * have their places in the order of the calls. https://hl7.org/fhir/R4/operationoutcome.html
 */
export function createLinkPlaces(model: Pick<Model, 'definitions'>, resource: unknown): PlaceOfLink {
  const known = new Map<Link, string>();
  let left: Map<string, Iterator<string>> | undefined;
  return link => {
    left ??= placesByText(model, resource);
    const place = known.get(link) ?? left.get(link.text)?.next().value ?? '';
    known.set(link, place);
    return place;
  };
}

function placesByText(model: Pick<Model, 'definitions'>, resource: unknown): Map<string, Iterator<string>> {
  const found = Map.groupBy(findReferences(resource, root, model), ({ text }) => text);
  return new Map(
    [...found].map(([text, all]) => [text, all.map(one => one.expression.slice(root.name.length)).values()]),
  );
}

/** What each expression begins with. */
const root = { name: 'Resource' };

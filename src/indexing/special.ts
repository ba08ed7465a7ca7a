import { isPosition } from '../fhir/position.ts';
import type { Entries } from './reading.ts';

/**
 * A position on Earth, as the tuple of its latitude and longitude in degrees: the one meaning that a parameter of type
 * special has in R4's own definitions besides filters. https://hl7.org/fhir/R4/search.html#special
 */
export const specialEntries: Entries = (type, emit) => {
  if (type.definition?.elements.has('latitude') !== true || !type.definition.elements.has('longitude'))
    return undefined;
  return value => {
    const { latitude, longitude } = value as { latitude: number; longitude: number }; // stored JSON, checked below
    if (!isPosition(latitude, longitude)) return;
    emit({
      kind: 'composite',
      of: [[{ kind: 'number', low: latitude, high: latitude }], [{ kind: 'number', low: longitude, high: longitude }]],
    });
  };
};

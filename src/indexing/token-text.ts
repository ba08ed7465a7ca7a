import type { Emit, Entries } from './reading.ts';
import { emitText } from './string.ts';

/**
 * The texts of codes for `:text`: that of a CodeableConcept with the displays of its codings, the display of a Coding,
 * the text of an identifier's type. https://hl7.org/fhir/R4/search.html#modifiers
 */
export const tokenTextEntries: Entries = (type, emit) => {
  switch (type.code) {
    case 'CodeableConcept':
      return value => {
        emitConcept(emit, value);
      };
    case 'Coding':
      return value => {
        emitText(emit, member(value, 'display'));
      };
    case 'Identifier':
      return value => {
        emitText(emit, member(member(value, 'type'), 'text'));
      };
    default:
      return undefined;
  }
};

function emitConcept(emit: Emit, concept: unknown): void {
  emitText(emit, member(concept, 'text'));
  const coding = member(concept, 'coding');
  if (Array.isArray(coding)) for (const one of coding as unknown[]) emitText(emit, member(one, 'display'));
}

/** A member of stored JSON; undefined where it is no object. */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

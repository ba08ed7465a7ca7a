import { asObject } from '../fhir/json-object.ts';
import type { ResultType } from '../fhirpath/extract/expression.ts';
import { foldCode, phoneDigits } from './normalize.ts';
import type { Emit, Entries, Meanings } from './reading.ts';

/**
 * Codes and identifiers: every coding of a concept (its text alone is not a token), identifiers and contact points
 * without regard to case, telephone numbers by their digits, `code` elements with the system of their required value
 * set. Case matters if the code system says so. https://hl7.org/fhir/R4/search.html#token
 */
export const tokenEntries: Entries = (type, emit, _reading, model) => {
  switch (type.code) {
    case 'CodeableConcept':
      return value => {
        const { coding } = value as { coding?: unknown }; // stored JSON
        if (Array.isArray(coding)) for (const one of coding as unknown[]) emitCoding(emit, one, model);
      };
    case 'Coding':
      return value => {
        emitCoding(emit, value, model);
      };
    case 'Identifier':
      return value => {
        const { system, value: code } = value as { system?: unknown; value?: unknown }; // stored JSON
        emitToken(emit, text(system), text(code), false);
      };
    case 'ContactPoint':
      return value => {
        emitContact(emit, value);
      };
    case 'boolean':
      return value => {
        if (typeof value === 'boolean') emitToken(emit, undefined, String(value), false);
      };
    case 'code':
      return codeEntries(type, emit, model);
    case 'string':
    case 'id':
    case 'uri':
    case 'url':
    case 'canonical':
    case 'oid':
    case 'uuid':
      return value => {
        emitToken(emit, undefined, text(value), false);
      };
    default:
      return undefined;
  }
};

/** The codes of a required value set belong to code systems of R4, which are all case-sensitive. */
function codeEntries(type: ResultType, emit: Emit, model: Meanings) {
  const binding = type.element?.binding;
  const required = binding?.strength === 'required';
  const system = binding !== undefined && required ? model.valueSetSystem(binding.valueSet) : undefined;
  return (value: unknown): void => {
    emitToken(emit, system, text(value), required);
  };
}

/** Emits a Coding with a system, a code, or both. */
export function emitCoding(emit: Emit, coding: unknown, model: Meanings): void {
  const { system, code, display } = asObject(coding);
  const known = text(system);
  emitToken(emit, known, text(code), known !== undefined && model.caseSensitive(known), text(display));
}

/** A telephone number is identified by its system or, without one, by its form. */
function emitContact(emit: Emit, contact: unknown): void {
  const { system, value } = (contact ?? {}) as { system?: unknown; value?: unknown }; // stored JSON
  const written = text(value);
  if (written === undefined) return;
  const phone = system === 'email' || system === 'url' ? undefined : phoneDigits(written);
  emitToken(emit, undefined, phone ?? written, false);
}

/** Emits a token unless it has neither system nor code. */
export function emitToken(
  emit: Emit,
  system: string | undefined,
  code: string | undefined,
  caseSensitive: boolean,
  display?: string,
): void {
  if (system === undefined && code === undefined) return;
  const folded = code === undefined || caseSensitive ? code : foldCode(code);
  const shown = display === undefined ? {} : { display };
  emit({ kind: 'token', system, code: folded, caseSensitive, ...shown });
}

/** A text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

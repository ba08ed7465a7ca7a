import { type FhirError, fhirError } from '../../fhir/error.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import { controls } from './result-parameters.ts';

/**
 * An unknown parameter, with the most similar known one; `whole` is the complete name that the client sent.
 * https://hl7.org/fhir/R4/search.html#errors
 */
export function unknownParameter(type: ResourceType, name: string, whole = name): FhirError {
  if (whole === '') return fhirError(400, 'not-supported', 'A parameter has no name: write `name=value`.');
  if (name === '') {
    const text = `\`${whole}\` lacks the name of a search parameter of ${type.name}.`;
    return fhirError(400, 'not-supported', text, `http.${whole}`);
  }
  const offered = [...type.parameters.keys()].sort();
  const hint = didYouMean(name, [...offered, ...controls]);
  return fhirError(
    400,
    'not-supported',
    `${type.name} has no search parameter \`${name}\`.${hint} Use ${list(offered)}.`,
    `http.${whole}`,
  );
}

/** A part of FHIR search that the type does not support. */
export function unsupportedParameter(name: string): FhirError {
  return fhirError(400, 'not-supported', `\`${name}\` is not supported: omit it.`, `http.${name}`);
}

/**
 * A modifier that the parameter does not have; `whole` is the complete name that the client sent.
 * https://hl7.org/fhir/R4/search.html#modifiers
 */
export function unsupportedModifier(
  code: string,
  modifier: string,
  allowed: readonly string[],
  whole = `${code}:${modifier}`,
): FhirError {
  const offer = allowed.length === 0 ? 'It has none' : `Use ${list(allowed.map(name => `:${name}`))}`;
  const text = `The modifier \`:${modifier}\` is not supported on \`${code}\`. ${offer}.`;
  return fhirError(400, 'code-invalid', text, `http.${whole}`);
}

/** A parameter without a value, which would otherwise match everything. */
export function emptyValue(name: string): FhirError {
  return fhirError(400, 'value', `\`${name}\` has no value: give it one or omit it.`, `http.${name}`);
}

/** An error as a warning beside the result, for lenient handling. */
export function asWarning(error: FhirError): readonly Issue[] {
  return error.issues.map(issue => ({ ...issue, severity: 'warning', text: `Ignored: ${issue.text}` }));
}

const list = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ');

// https://hl7.org/fhir/R4/http.html#mime-type
import { describe, expect, it } from 'vitest';
import { FhirError } from '../../src/fhir/error.ts';
import { negotiate } from '../../src/http/request/negotiate.ts';

const fhir = 'application/fhir+json; charset=utf-8';
const json = 'application/json; charset=utf-8';
const xml = 'application/fhir+xml; charset=utf-8';
const versioned = 'application/fhir+json; fhirVersion=4.0; charset=utf-8';

const acceptRows: readonly [accept: string | undefined, answer: string | 406, why: string][] = [
  [undefined, fhir, 'nothing is asked for'],
  ['', fhir, 'an empty header asks for nothing'],
  ['application/fhir+json', fhir, 'the FHIR type'],
  ['application/json', json, 'the generic type is answered with itself'],
  ['*/*', fhir, 'anything'],
  ['*', fhir, 'anything, as Java writes it'],
  ['application/*', fhir, 'any application type'],
  ['APPLICATION/FHIR+JSON', fhir, 'types ignore case'],
  ['application/fhir+json, application/json', fhir, 'the FHIR type first where both are as welcome'],
  ['application/json, text/plain, */*', json, 'a type by name before a wildcard'],
  ['application/fhir+json, */*; q=0.1', fhir, 'what Medplum sends'],
  ['application/json;q=0.9, application/fhir+json;q=0.8', json, 'the higher q'],
  ['application/fhir+json;q=0, */*', json, 'q=0 excludes, and the more specific range decides'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', fhir, 'what browsers send'],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', fhir, 'what Java sends'],
  ['application/fhir+xml, application/fhir+json;q=0.5', xml, 'the higher q is XML'],
  ['application/fhir+xml;q=0.5, application/fhir+json', fhir, 'the higher q is JSON'],
  ['application/fhir+xml, application/fhir+json', fhir, 'JSON where both are as welcome'],
  ['application/fhir+xml, */*', xml, 'XML by name before a wildcard'],
  ['application/fhir+turtle, application/fhir+json;q=0.5', fhir, 'the second choice is served'],
  ['application/fhir+json; charset=utf-8', fhir, 'a charset is allowed'],
  ['application/fhir+json; fhirVersion=4.0', versioned, 'the release that is served'],
  ['application/fhir+json; fhirVersion="4.0"', versioned, 'quoted'],
  ['application/fhir+json; fhirVersion=3.0', 406, 'another release'],
  ['application/fhir+json; fhirVersion=3.0, application/fhir+json; fhirVersion=4.0; q=0.5', versioned, 'one of two'],
  ['application/fhir+xml', xml, 'XML'],
  ['application/xml', 'application/xml; charset=utf-8', 'the generic type of XML'],
  ['text/xml', 'text/xml; charset=utf-8', 'its older name'],
  ['application/fhir+xml; fhirVersion=4.0', 'application/fhir+xml; fhirVersion=4.0; charset=utf-8', 'XML of R4'],
  ['application/fhir+xml; fhirVersion=3.0', 406, 'XML of another release'],
  ['text/turtle', 406, 'Turtle'],
  ['text/*', 'text/xml; charset=utf-8', 'the one text type'],
  ['text/plain', 406, 'no text'],
  ['application/json;q=0', 406, 'all that is named is excluded'],
  ['application/json;q=x', 406, 'a q that is no number'],
  ['nonsense', 406, 'no media range'],
];

const formatRows: readonly [format: string, answer: string | 406][] = [
  ['json', fhir],
  ['JSON', fhir],
  ['application/fhir+json', fhir],
  ['application/fhir json', fhir],
  ['application/json', json],
  ['text/json', json],
  ['application/fhir+json; fhirVersion=4.0', versioned],
  ['application/fhir+json; fhirVersion=5.0', 406],
  ['xml', xml],
  ['application/fhir+xml', xml],
  ['application/fhir xml', xml],
  ['application/xml', 'application/xml; charset=utf-8'],
  ['text/xml', 'text/xml; charset=utf-8'],
  ['application/fhir+xml; fhirVersion=5.0', 406],
  ['ttl', 406],
  ['html', 406],
];

const outcome = (run: () => string): string | number => {
  try {
    return run();
  } catch (error) {
    if (error instanceof FhirError) return error.status;
    throw error;
  }
};

describe('Accept', () => {
  it.each(acceptRows)('%s is answered with %s: %s', (accept, answer) => {
    expect(outcome(() => negotiate(accept))).toBe(answer);
    expect(outcome(() => negotiate(accept))).toBe(answer);
  });
});

describe('_format', () => {
  it.each(formatRows)('%s is answered with %s, whatever Accept says', (format, answer) => {
    expect(outcome(() => negotiate('application/fhir+xml', format))).toBe(answer);
  });
});

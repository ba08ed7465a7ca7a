import { isUcumCode, ucumSystem } from '../fhir/ucum.ts';

/**
 * Code systems that are defined by a grammar and listed nowhere: languages, media types and units. A well-formed code
 * is valid. https://hl7.org/fhir/R4/terminologies-systems.html
 */
export const grammars: ReadonlyMap<string, (code: string) => boolean> = new Map([
  [ucumSystem, isUcumCode],
  [
    'urn:ietf:bcp:47',
    code => code.length <= 100 && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$|^[xi](-[A-Za-z0-9]{1,8})+$/.test(code),
  ],
  [
    'urn:ietf:bcp:13',
    // R4 itself uses short names for its formats.
    code =>
      code.length <= 300 && /^(xml|json|ttl)$|^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+*-]{1,127}( ?;[^\r\n]*)?$/.test(code),
  ],
]);

/** ValueSets that R4 names by the page of such a system, and that are not published: all of its codes. */
export const grammarSets: ReadonlyMap<string, string> = new Map([
  ['http://www.rfc-editor.org/bcp/bcp13.txt', 'urn:ietf:bcp:13'],
]);

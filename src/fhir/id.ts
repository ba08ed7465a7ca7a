/**
 * True for a valid id of a resource: 1 to 64 letters, digits, `-` and `.`. https://hl7.org/fhir/R4/datatypes.html#id
 */
export function isId(text: string): boolean {
  return text.length <= 64 && /^[A-Za-z0-9\-.]+$/.test(text);
}

/** How unknown and empty parameters are met. https://hl7.org/fhir/R4/search.html#errors */
export type Handling = 'strict' | 'lenient';

/** The `handling` that a Prefer header asks for; `otherwise` where it asks for none. https://www.rfc-editor.org/rfc/rfc7240 */
export function handlingOf(prefer: string | undefined, otherwise: Handling): Handling {
  if (prefer === undefined) return otherwise;
  for (const preference of prefer.split(/[,;]/)) {
    const [name = '', value = ''] = preference.split('=').map(part => part.trim().toLowerCase());
    const plain = value.replaceAll('"', '');
    if (name === 'handling' && (plain === 'strict' || plain === 'lenient')) return plain;
  }
  return otherwise;
}

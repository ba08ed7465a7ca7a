/** The handling of unknown and empty parameters. https://hl7.org/fhir/R4/search.html#errors */
export type Handling = 'strict' | 'lenient';

/** The `handling` of a Prefer header; `otherwise` without one. https://www.rfc-editor.org/rfc/rfc7240 */
export function handlingOf(prefer: string | undefined, otherwise: Handling): Handling {
  if (prefer === undefined) return otherwise;
  for (const preference of prefer.split(/[,;]/)) {
    const [name = '', value = ''] = preference.split('=').map(part => part.trim().toLowerCase());
    const plain = value.replaceAll('"', '');
    if (name === 'handling' && (plain === 'strict' || plain === 'lenient')) return plain;
  }
  return otherwise;
}

/** The body of the answer to a write. https://hl7.org/fhir/R4/http.html#ops */
export type Return = 'minimal' | 'representation' | 'OperationOutcome';

/** The `return` of a Prefer header; the representation without one, or for an unknown value. */
export function returnOf(prefer: string | undefined): Return {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [name = '', value = ''] = preference.split('=').map(part => part.trim().toLowerCase());
    const known = returns.find(one => one.toLowerCase() === value.replaceAll('"', ''));
    if (name === 'return' && known !== undefined) return known;
  }
  return 'representation';
}

const returns = ['minimal', 'representation', 'OperationOutcome'] as const;

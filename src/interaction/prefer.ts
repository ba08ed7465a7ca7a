/**
 * The handling of unknown and empty parameters: `usual` refuses them, except those of no standard (`isForeign`).
 * https://hl7.org/fhir/R4/search.html#errors
 */
export type Handling = 'strict' | 'usual' | 'lenient';

/** The `handling` of a Prefer header; that of the settings without one. https://www.rfc-editor.org/rfc/rfc7240 */
export const handlingOf = (prefer: string | undefined, setting: 'strict' | 'lenient'): Handling =>
  preferencesOf(prefer).handling ?? (setting === 'strict' ? 'usual' : setting);

/** The body of the answer to a write. https://hl7.org/fhir/R4/http.html#ops */
export type Return = 'minimal' | 'representation' | 'OperationOutcome';

/** The `return` of a Prefer header; the representation without one, or for an unknown value. */
export const returnOf = (prefer: string | undefined): Return => preferencesOf(prefer).return ?? 'representation';

const handlings = ['strict', 'lenient'] as const;
const returns = ['minimal', 'representation', 'OperationOutcome'] as const;

interface Preferences {
  readonly handling: (typeof handlings)[number] | undefined;
  readonly return: Return | undefined;
}

const none: Preferences = { handling: undefined, return: undefined };

/** The last parsed header: all entries of a transaction, and most requests of a client, have the same. */
let last = { prefer: '', preferences: none };

function preferencesOf(prefer: string | undefined): Preferences {
  if (prefer === undefined) return none;
  if (prefer !== last.prefer) last = { prefer, preferences: parse(prefer) };
  return last.preferences;
}

/** The first known value of each. */
function parse(prefer: string): Preferences {
  const given = prefer.split(/[,;]/).map(preference => {
    const [name = '', value = ''] = preference.split('=').map(part => part.trim().toLowerCase());
    return { name, value: value.replaceAll('"', '') };
  });
  const first = <T extends string>(wanted: string, known: readonly T[]): T | undefined =>
    given
      .filter(({ name }) => name === wanted)
      .map(({ value }) => known.find(one => one.toLowerCase() === value))
      .find(found => found !== undefined);
  return { handling: first('handling', handlings), return: first('return', returns) };
}

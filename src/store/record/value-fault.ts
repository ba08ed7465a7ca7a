import { isObject } from '../../fhir/json-object.ts';

/** The fault of a small JSON value; undefined if there is none. */
export function jsonFault(text: unknown): string | undefined {
  return parsed(text) === undefined ? 'it is not JSON' : undefined;
}

/** The same for the settings of a partition. */
export function settingsFault(text: unknown): string | undefined {
  const value = parsed(text)?.value;
  return isObject(value) ? zoneFault(value['zone']) : 'its settings are not JSON';
}

/** Undefined for the name of a time zone. */
export function zoneFault(zone: unknown): string | undefined {
  const wrong = 'its time zone is not valid';
  if (typeof zone !== 'string') return wrong;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone === '' ? wrong : undefined;
  } catch {
    return wrong;
  }
}

function parsed(text: unknown): { readonly value: unknown } | undefined {
  try {
    return typeof text === 'string' ? { value: JSON.parse(text) } : undefined;
  } catch {
    return undefined;
  }
}

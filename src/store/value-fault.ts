import { isObject } from '../fhir/json-object.ts';

/** What is wrong with a small value that is kept as JSON, by itself; undefined where nothing is. */
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
  const wrong = 'its time zone is none';
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

import type { Document } from 'mongodb';

/** Parts of a command that have no value of a record or of a client. */
const plain: ReadonlySet<string> = new Set([
  'find',
  'aggregate',
  'projection',
  'sort',
  'limit',
  'hint',
  '$exists',
  '$sum',
  '$group',
]);

/**
 * A command with `?` for each value; of a term the parameter remains: `?|code|?`. `names` are the parameters and pairs
 * in terms of the partition `p`.
 */
export function withoutValues(command: Document, p: string, names: ReadonlySet<string>): Document {
  const mask = (value: unknown, name: string): unknown => {
    if (plain.has(name)) return value;
    if (Array.isArray(value)) {
      const masked = value.map(one => mask(one, ''));
      if (value.some(one => typeof one === 'object')) return masked;
      const counts = Map.groupBy(masked, String);
      return [...counts].map(([text, of]) => (of.length === 1 ? text : `${text} (${of.length} values)`));
    }
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mask(one, key)]));
    return typeof value === 'string' ? maskText(value, p, names) : '?';
  };
  return mask(command, '') as Document; // an object remains one
}

function maskText(text: string, p: string, names: ReadonlySet<string>): string {
  if (text === `${p}|*`) return '?|*';
  const [partition, name = '', ...rest] = text.split('|');
  return partition === p && rest.length > 0 && names.has(name) ? `?|${name}|?` : '?';
}

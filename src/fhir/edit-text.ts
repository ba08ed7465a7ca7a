import { items, properties } from './resource-text.ts';

/** The compact text of an object without the property at a path of names, through arrays. */
export function withoutProperty(text: string, path: readonly string[]): string {
  const [name, ...rest] = path;
  if (text.startsWith('['))
    return `[${items(text)
      .map(item => withoutProperty(item, path))
      .join(',')}]`;
  if (name === undefined || !text.startsWith('{')) return text;
  const quoted = JSON.stringify(name);
  const kept = properties(text).flatMap(property => {
    if (property.name !== quoted) return `${property.name}:${property.value}`;
    return rest.length === 0 ? [] : `${quoted}:${withoutProperty(property.value, rest)}`;
  });
  return `{${kept.join(',')}}`;
}

/**
 * The compact text of an object with one more property, at the end of the object at the path's other names, if it
 * exists.
 */
export function withProperty(text: string, path: readonly string[], value: string): string {
  const [name = '', ...rest] = path;
  if (text.startsWith('['))
    return `[${items(text)
      .map(item => withProperty(item, path, value))
      .join(',')}]`;
  if (!text.startsWith('{')) return text;
  const quoted = JSON.stringify(name);
  if (rest.length === 0) return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${quoted}:${value}}`;
  const all = properties(text).map(property =>
    property.name === quoted
      ? `${quoted}:${withProperty(property.value, rest, value)}`
      : `${property.name}:${property.value}`,
  );
  return `{${all.join(',')}}`;
}

/**
 * The compact text of an object with a further property in the objects at a path, through arrays: what `make` returns
 * for the text of each, in order; undefined leaves it as it is.
 */
export function withPropertyAt(
  text: string,
  path: readonly string[],
  make: (object: string) => { readonly name: string; readonly value: string } | undefined,
): string {
  if (text.startsWith('['))
    return `[${items(text)
      .map(item => withPropertyAt(item, path, make))
      .join(',')}]`;
  if (!text.startsWith('{')) return text;
  const [name, ...rest] = path;
  if (name === undefined) {
    const added = make(text);
    if (added === undefined) return text;
    return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(added.name)}:${added.value}}`;
  }
  const quoted = JSON.stringify(name);
  const all = properties(text).map(property =>
    property.name === quoted
      ? `${quoted}:${withPropertyAt(property.value, rest, make)}`
      : `${property.name}:${property.value}`,
  );
  return `{${all.join(',')}}`;
}

import type { TypeDefinitions } from '../../model/element.ts';
import { Report } from '../../validation/report.ts';
import { walk } from '../../validation/walk.ts';
import type { VisitedValue } from '../../validation/walk.ts';

/** The strings in a resource that are addresses of resources, among those with the same text. */
export interface Addresses {
  /** Whether the next string of the resource with this text is one, in the order of the text. */
  next(text: string): () => boolean;
}

/**
 * The addresses in the compact text of a resource: elements of the types `url` and `uri`. Elements of a `uri` that name
 * something by an absolute one are none: a `system`, and the `url` of extensions and definitions. The types `oid` and
 * `uuid`, which R4 lists too, are none, since a link such as `Patient/1` is no value of them. The text is read at the
 * first use. https://hl7.org/fhir/R4/http.html#trules
 */
export function createAddresses(text: string, definitions: TypeDefinitions): Addresses {
  const counts = new Map<string, number>();
  let found: ReadonlyMap<string, readonly boolean[]> | undefined;
  return {
    next: one => {
      const at = counts.get(one) ?? 0;
      counts.set(one, at + 1);
      return () => {
        found ??= stringsIn(JSON.parse(text), definitions);
        return found.get(one)?.[at] === true;
      };
    },
  };
}

/** Whether each string of a resource is an address, in the order of the text, by its text. */
function stringsIn(resource: unknown, definitions: TypeDefinitions): ReadonlyMap<string, readonly boolean[]> {
  const found = new Map<string, boolean[]>();
  walk(resource, definitions, new Report(0), visited => {
    const { value } = visited;
    if (typeof value !== 'string') return;
    const list = found.get(value);
    const isOne = isAddress(visited, definitions);
    if (list === undefined) found.set(value, [isOne]);
    else list.push(isOne);
  });
  return found;
}

function isAddress({ element: { name, path }, type }: VisitedValue, definitions: TypeDefinitions): boolean {
  if (type.code === 'url') return true;
  if (type.code !== 'uri' || name === 'system') return false;
  const [owner = '', ...rest] = path.split('.');
  const isName = name === 'url' && rest.length === 1 && (owner === 'Extension' || isResource(owner, definitions));
  return !isName;
}

const isResource = (name: string, definitions: TypeDefinitions): boolean => definitions.get(name)?.kind === 'resource';

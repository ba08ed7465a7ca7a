import { asObject, asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { DefinitionNode } from './definition-nodes.ts';
import { extensionBase } from './extension-shapes.ts';

/**
 * An element of the statement with what its declarations add to it: their extensions, those on its primitive values
 * (`_name`), and their documentation, if the element has none yet. A value that several files declare alike is added
 * once. https://hl7.org/fhir/R4/json.html#primitive
 */
export function withDetails(element: JsonObject, nodes: readonly DefinitionNode[]): JsonObject {
  if (nodes.length === 0) return element;
  const own = objectsOf(element['extension']);
  const extension = distinct([...own, ...nodes.flatMap(({ json }) => objectsOf(json['extension']).filter(isShown))]);
  const modifierExtension = distinct(nodes.flatMap(({ json }) => objectsOf(json['modifierExtension'])));
  const documentation = element['documentation'] ?? documentationOf(nodes);
  const { extension: _own, ...more } = element;
  return {
    ...(extension.length === 0 ? {} : { extension }),
    ...(modifierExtension.length === 0 ? {} : { modifierExtension }),
    ...more,
    ...(documentation === undefined ? {} : { documentation }),
    ...Object.fromEntries(Object.entries(more).flatMap(([name, value]) => besideOf(name, value, nodes))),
  };
}

/** The documentation of all of these declarations; undefined if none has any. */
export function documentationOf(nodes: readonly DefinitionNode[]): string | undefined {
  const found = nodes.flatMap(({ json }) => asString(json['documentation']) ?? []);
  return found.length === 0 ? undefined : [...new Set(found)].join('\n\n');
}

/**
 * The elements of whole statements that say who publishes an interface and what it is for: a single value from the
 * first statement that has one, the items of lists from all.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html
 */
export function statementDetails(statements: readonly DefinitionNode[], names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap(name => {
      const given = statements.flatMap(({ json }) => json[name] ?? []);
      const isList = statements.some(({ json }) => Array.isArray(json[name]));
      const [first] = given;
      if (first === undefined) return [];
      return [[name, isList ? distinct(given.filter(item => item !== null)) : first]];
    }),
  );
}

/** Items that differ, in their order. */
export function distinct<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map(item => [JSON.stringify(item), item])).values()];
}

/** Extensions that the statement has in the form in which they take effect, on each type or parameter. */
const effective: ReadonlySet<string> = new Set(
  ['search-feature', 'search-modifier', 'search-explain'].map(name => extensionBase + name),
);

const isShown = ({ url }: JsonObject): boolean => !effective.has(String(url));

/** `_name` for a primitive value, or for a list of them, if the declarations have extensions on it. */
function besideOf(name: string, value: unknown, nodes: readonly DefinitionNode[]): readonly [string, unknown][] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.some(item => typeof item === 'object')) return [];
  const beside = list.map(item => {
    const found = nodes.flatMap(({ json }) => {
      const values: readonly unknown[] = Array.isArray(json[name]) ? json[name] : [json[name]];
      const others: readonly unknown[] = [json[`_${name}`]].flat();
      return values.flatMap((one, index) => (one === item ? objectsOf(asObject(others[index])['extension']) : []));
    });
    return found.length === 0 ? null : { extension: distinct(found) };
  });
  if (beside.every(item => item === null)) return [];
  return [[`_${name}`, Array.isArray(value) ? beside : beside[0]]];
}

import { within } from '../definitions/definition.ts';
import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { printProblem } from '../definitions/problem.ts';
import type { Problem } from '../definitions/problem.ts';
import { asString } from '../fhir/json-object.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { compileView } from './compile.ts';
import type { CompiledView } from './compile.ts';
import type { View } from './view.ts';

/** The views of loaded definitions. */
export interface Views {
  /** In the order of their names. */
  readonly all: readonly View[];
  /** The view with `url` or `url|version`; without a version the newest. */
  byCanonical(canonical: string): View | undefined;
  byId(id: string): View | undefined;
  /** The view with a name, whatever its case: the newest version. */
  byName(name: string): View | undefined;
}

/** The views of definitions that `checkViews` has found to be valid; each is compiled once. */
export function viewsOf(definitions: Pick<Definitions, 'all' | 'find'>, types: TypeDefinitions): Views {
  const compiled = (definition: Definition | undefined): View | undefined =>
    definition && compileOnce(definition, types).view;
  const all = definitions
    .all('ViewDefinition')
    .flatMap(one => compiled(one) ?? [])
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const newest = (found: readonly View[]): View | undefined => {
    const [first] = found;
    return first?.url === undefined ? first : compiled(definitions.find('ViewDefinition', first.url));
  };
  return {
    all,
    byCanonical: canonical => compiled(definitions.find('ViewDefinition', canonical)),
    byId: id => newest(all.filter(view => view.id === id)),
    byName: name => newest(all.filter(view => nameOf(view) === name.toLowerCase())),
  };
}

const nameOf = ({ name }: View): string => name?.toLowerCase() ?? '';

/** A definition never changes, and its types are those with which it was loaded. */
const known = new WeakMap<Definition, CompiledView>();

function compileOnce(definition: Definition, types: TypeDefinitions): CompiledView {
  let found = known.get(definition);
  if (found === undefined) known.set(definition, (found = compileView(definition.resource(), types)));
  return found;
}

/**
 * The mistakes of views, with file and path. Those in packages are warnings, and such a view is not served; a name
 * belongs to one view, whatever its case, since it is the name of a table.
 */
export function checkViews(
  definitions: Pick<Definitions, 'all'>,
  types: TypeDefinitions,
): { readonly problems: readonly Problem[]; readonly warnings: readonly string[] } {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const names = new Map<string, Definition>();
  for (const definition of definitions.all('ViewDefinition')) {
    const { file, package: from, url } = definition;
    const found = compileOnce(definition, types);
    const at = (path: string, text: string): Problem => ({ file, path: within(definition, path), text });
    for (const { path, text } of found.warnings) warnings.push(printProblem(at(path, text)));
    const wrong = found.problems.map(({ path, text }) => at(path, text));
    if (from === undefined) problems.push(...wrong);
    else warnings.push(...wrong.map(one => `${printProblem(one)} The view is not served.`));
    const name = asString(definition.resource()['name']);
    const other = name === undefined ? undefined : names.get(name.toLowerCase());
    if (name === undefined && from === undefined && found.problems.length === 0)
      problems.push(at('name', 'The view has no `name`, which is the name of its table.'));
    else if (other !== undefined && other.url !== url)
      problems.push(at('name', `The view \`${name}\` is also defined by ${other.file}; give one another name.`));
    else if (name !== undefined) names.set(name.toLowerCase(), definition);
  }
  return { problems, warnings };
}

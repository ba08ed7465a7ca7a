import type { Definition } from '../definitions/definition.ts';
import { within } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { printProblem } from '../definitions/problem.ts';
import { asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Model } from './model.ts';

/**
 * Declarations that do not stop a start and that their author hardly meant: one type, parameter, interaction or
 * operation twice in one file, and single files that nothing references. One line each, with file and JSON path.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource
 */
export function suspicious(
  statements: readonly Definition[],
  definitions: Definitions,
  model: Pick<Model, 'types'>,
): readonly string[] {
  return [...statements.flatMap(repeated), ...unreferenced(statements, definitions, model)];
}

function repeated(statement: Definition): readonly string[] {
  const rests = objectsOf(statement.resource()['rest']);
  return rests.flatMap((rest, at) => {
    const path = `rest[${at}]`;
    const ofTypes = objectsOf(rest['resource']).flatMap((type, index) =>
      lists.flatMap(list => twice(type, list, `${path}.resource[${index}]`, String(type['type']))),
    );
    const ofRest = ['resource', ...lists].flatMap(list => twice(rest, list, path, 'The statement'));
    return [...ofRest, ...ofTypes].map(one =>
      printProblem({ ...one, file: statement.file, path: within(statement, one.path) }),
    );
  });
}

const lists = ['interaction', 'searchParam', 'operation'];

/** The items of a list that have the name of an earlier one. */
function twice(
  element: JsonObject,
  list: string,
  path: string,
  owner: string,
): readonly { readonly path: string; readonly text: string }[] {
  const first = new Map<unknown, number>();
  return objectsOf(element[list]).flatMap(({ type, name, code }, index) => {
    const key = asString(list === 'resource' ? type : (name ?? code));
    const before = first.get(key);
    if (key === undefined || before === undefined) {
      first.set(key, index);
      return [];
    }
    const text = `${owner} declares \`${key}\` twice, also at \`${list}[${before}]\`; write what both declare in one.`;
    return [{ path: `${path}.${list}[${index}]`, text }];
  });
}

/** Definitions in single files of added folders that no declaration and no other definition names. */
function unreferenced(
  statements: readonly Definition[],
  definitions: Definitions,
  { types }: Pick<Model, 'types'>,
): readonly string[] {
  const isAdded = ({ core, package: from, file }: Definition): boolean =>
    !core && from === undefined && !shipped.test(file);
  const all = [...Object.keys(effects), 'ImplementationGuide', 'ValueSet', 'CompartmentDefinition'].flatMap(type =>
    definitions.all(type).filter(isAdded),
  );
  const texts = new Set<string>();
  for (const one of [...statements, ...all])
    for (const [name, value] of Object.entries(one.resource())) if (name !== 'url') collect(value, texts);
  const offered = new Set(
    [...types.values()].flatMap(type => [...type.indexed.values(), ...type.parameters.values()]).map(({ url }) => url),
  );
  return all.flatMap(one => {
    const effect = effects[one.resourceType];
    if (effect === undefined || texts.has(one.url) || offered.has(one.url) || isUsedByRecords(one)) return [];
    const text = `No capability file and no other definition names \`${one.url}\`; ${effect}`;
    return [printProblem({ file: one.file, path: one.path, text })];
  });
}

/** The effect of a definition that nothing names, by its type. Others have one. */
const effects: Readonly<Record<string, string>> = {
  SearchParameter: 'declare it as a `searchParam` of a type, or remove the file.',
  OperationDefinition: 'declare it as an `operation` of a type, or remove the file.',
  StructureDefinition:
    'it applies only to records that claim it in `meta.profile`; declare it as a `supportedProfile`, or remove the ' +
    'file.',
};

/** Extensions are named by records. */
const isUsedByRecords = (one: Definition): boolean =>
  one.resourceType === 'StructureDefinition' && one.resource()['type'] === 'Extension';

/** Files of the program: they serve several interfaces. */
const shipped = /^(searchparameters|profiles)[\\/]/;

/** Every text in a value, a canonical without its version. */
function collect(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value.replace(/\|[^|]*$/, ''));
  else if (Array.isArray(value)) for (const item of value) collect(item, texts);
  else if (isObject(value)) for (const item of Object.values(value)) collect(item, texts);
}

import { fileURLToPath } from 'node:url';
import { cacheFolders, openDiskCache } from '../definitions/disk-cache.ts';
import { indexDefinitions } from '../definitions/definitions.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { readSources } from '../definitions/source.ts';
import { defaultCompartment } from '../model/access-rules.ts';
import { extensionBase } from '../model/extension-shapes.ts';
import type { Model } from '../model/model.ts';
import { baseTypes, coreTypes } from '../model/type-definitions.ts';
import { combinationsOf, declareType } from './declare.ts';
import { expectationAt, expectationOf, isUnwanted } from './expectation.ts';
import { everywhere, guideParameters } from './parameters.ts';
import type { GuideParameters, LeaveOut } from './parameters.ts';
import { prune } from './prune.ts';
import { withServedOperations } from './served-operations.ts';
import { declareSystem, leaveOutOfStatement } from './system.ts';

/** A requirement of a guide that this server does not declare. */
export interface LeftOut {
  readonly type: string;
  readonly what: string;
  readonly why: string;
  /** How strongly the guide requires it, such as SHALL. */
  readonly expectation: string | undefined;
}

export interface Initialized {
  /** The CapabilityStatement to be written. */
  readonly statement: JsonObject;
  readonly leftOut: readonly LeftOut[];
  /** Declarations that the guide does not require; sentences. */
  readonly added: readonly string[];
}

/**
 * The CapabilityStatement with which this server implements a guide's requirements for servers: types, parameters,
 * profiles and scopes that a start accepts. `definitions` are the guide's package and its dependencies. Throws Error
 * with one line for each problem of the packages. https://hl7.org/fhir/R4/capabilitystatement.html
 */
export async function initDefinitions(
  guide: JsonObject,
  chosen: (typeName: string) => boolean,
  packages: readonly [string, ...string[]],
): Promise<Initialized> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const cache = openDiskCache(cacheFolders(root, 'definitions'));
  const found = await readSources({ definitions: packages, capability: undefined, root, cache, types: coreTypes });
  const { definitions, problems } = indexDefinitions(found.definitions);
  const refused = [...found.problems, ...problems];
  if (refused.length > 0) throw new Error(refused.map(({ file, text }) => `${file}: ${text}`).join('\n'));
  const types = baseTypes(definitions);
  const leftOut: LeftOut[] = [];
  const leaveOut: LeaveOut = (type, what, why, expectation) => {
    if (!leftOut.some(one => one.type === type && one.what === what))
      leftOut.push({ type, what, why: why.replace(/; remove it\./, '.'), expectation });
  };
  const added: string[] = [];
  const rests = objectsOf(guide['rest']).filter(({ mode }) => mode === 'server');
  const resources = rests.flatMap(rest => objectsOf(rest['resource'])).filter(({ type }) => chosen(String(type)));
  const isOpen = resources.every(({ interaction }) => objectsOf(interaction).length === 0);
  if (isOpen) added.push(addedInteractions);
  const isGuide = ({ package: from }: { readonly package: string | undefined }): boolean => from === packages[0];
  const parameters = guideParameters(definitions, types, isGuide, leaveOut);
  const known = resources.filter(resource => {
    const name = String(resource['type']);
    const expectation = expectationOf(resource);
    const isKnown = types.resourceTypes.has(name);
    if (!isKnown) leaveOut(name, 'the type', 'It is not a resource type of FHIR R4.', expectation);
    else if (isUnwanted(expectation)) leaveOut(name, 'the type', `The guide says ${expectation}.`);
    return isKnown && !isUnwanted(expectation);
  });
  const ofType = Map.groupBy(known, ({ type }) => String(type));
  const add = (text: string): void => void added.push(text);
  const own = known.map(resource => declareType(resource, parameters, isOpen, leaveOut));
  const declared = withServedOperations(withIncluded(own, known, parameters, add), definitions, parameters, add);
  const names = declared.map(({ type }) => String(type));
  const searched = declared.find(({ interaction }) =>
    objectsOf(interaction).some(({ code }) => code === 'search-type'),
  );
  const context = { definitions, parameters, names, searched: asString(searched?.['type']) };
  const system = declareSystem(rests, context, leaveOut);
  const isPatched = declared.some(({ interaction }) => objectsOf(interaction).some(({ code }) => code === 'patch'));
  leaveOutOfStatement(guide, isPatched, leaveOut);
  const statementOf = (of: readonly JsonObject[]): JsonObject => statement(guide, of.map(withoutEmpty), system);
  const pruned = prune(declared, statementOf, { definitions, types }, (type, what, why, element, item) => {
    const given = ofType.get(type)?.[0] ?? {};
    leaveOut(type, what, why, element === 'type' ? expectationOf(given) : expectationAt(given, element, item));
  });
  const kept = pruned.types.filter(type => {
    const isServed = objectsOf(type['interaction']).length + objectsOf(type['operation']).length > 0;
    const name = String(type['type']);
    const expectation = expectationOf(ofType.get(name)?.[0] ?? {});
    if (!isServed) leaveOut(name, 'the type', 'None of its requirements is supported.', expectation);
    return isServed;
  });
  const scoped = kept.map(type => {
    const combinations = (ofType.get(String(type['type'])) ?? []).flatMap(one => combinationsOf(one, type, leaveOut));
    return withExtensions(type, pruned.model, combinations);
  });
  added.push(addedToAll);
  return { statement: statementOf(scoped), leftOut, added };
}

const addedToAll =
  'Added to every type: scopes, `versioning`, `conditionalRead` where it is read, and the parameters ' +
  `${[...everywhere.keys()].map(name => `\`${name}\``).join(' and ')} where it is searched.`;

const addedInteractions =
  'The guide names no interactions and parameters, so `read`, `search-type` and the parameters of ' +
  'R4 are declared; remove those that you do not need.';

function statement(guide: JsonObject, resource: readonly JsonObject[], system: JsonObject): JsonObject {
  const { id, name, title } = guide;
  const [url = nameOf(guide), version] = [asString(guide['url']), asString(guide['version'])];
  const canonical = version === undefined ? url : `${url}|${version}`;
  return {
    resourceType: 'CapabilityStatement',
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
    status: 'active',
    date: asString(guide['date']) ?? new Date().toISOString().slice(0, 10),
    description: `What this server implements of ${canonical}; written by \`definitions init\`.`,
    kind: 'capability',
    instantiates: instantiated(guide, canonical),
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [withoutEmpty({ mode: 'server', resource, ...system })],
  };
}

/** The statement of the guide and those that it says it instantiates, each once: a url without a version is enough. */
function instantiated(guide: JsonObject, canonical: string): readonly string[] {
  const named = stringsOf(guide['instantiates']);
  const isNamed = named.some(one => one === canonical || one === guide['url']);
  return asString(guide['url']) === undefined || isNamed ? named : [canonical, ...named];
}

/** A scope for each context that covers records of the type; `patient/` for those that belong to a patient. */
function withExtensions(type: JsonObject, { types, compartments }: Model, more: readonly JsonObject[]): JsonObject {
  const name = String(type['type']);
  const codes = objectsOf(type['interaction']).map(({ code }) => code);
  const letters = Object.entries(interactionsOf).flatMap(([letter, of]) =>
    of.some(code => codes.includes(code)) ? [letter] : [],
  );
  const readable = letters.filter(letter => letter === 'r' || letter === 's').join('');
  const isOwner = [...compartments.values()].some(({ url, code }) => url === defaultCompartment && code === name);
  const isOwned = isOwner || (types.get(name)?.accessLinks.length ?? 0) > 0;
  const scopes =
    letters.length === 0
      ? []
      : [
          ...(isOwned && readable !== '' ? [`patient/${name}.${readable}`] : []),
          ...['user', 'system'].map(context => `${context}/${name}.${letters.join('')}`),
        ];
  const extension = scopes.map(valueString => ({ url: `${extensionBase}smart-scope`, valueString }));
  return { extension: [...extension, ...more], ...type };
}

/** The interactions that a letter allows, in the order of the letters in a scope (auth/may.ts). */
const interactionsOf = {
  c: ['create'],
  r: ['read', 'vread', 'history-instance'],
  u: ['update', 'patch'],
  d: ['delete'],
  s: ['search-type', 'history-type'],
};

/** An empty array is not allowed in FHIR JSON. */
const withoutEmpty = (resource: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(resource).filter(([, value]) => !Array.isArray(value) || value.length > 0));

/** The name of a statement for people and files: its id, else the last part of its url. */
export const nameOf = ({ id, url }: JsonObject): string =>
  (asString(id) ?? asString(url)?.replace(/^.*\//s, '') ?? 'guide').replace(/[^\w.-]/g, '-');

/**
 * The declared types with the reference parameters that their includes name and that the guide does not list, such as
 * `Provenance:target`: each is added to the type that has it, if that type is searched, and is reported to `add`.
 * `given` are the types of the guide, since a parameter that it lists and that is not declared is not added.
 * https://hl7.org/fhir/R4/search.html#revinclude
 */
function withIncluded(
  declared: readonly JsonObject[],
  given: readonly JsonObject[],
  parameters: GuideParameters,
  add: (sentence: string) => void,
): readonly JsonObject[] {
  const includes = declared.flatMap(type =>
    ['searchInclude', 'searchRevInclude'].flatMap(element => stringsOf(type[element])),
  );
  return declared.map(type => {
    const name = String(type['type']);
    if (!objectsOf(type['interaction']).some(({ code }) => code === 'search-type')) return type;
    const ofGuide = given.filter(one => one['type'] === name).flatMap(one => objectsOf(one['searchParam']));
    const there = new Set([...objectsOf(type['searchParam']), ...ofGuide].map(one => asString(one['name'])));
    const needed = new Map(
      includes.toReversed().flatMap(include => {
        const [of, code = '*'] = include.split(':');
        return of === name && code !== '*' && !there.has(code) && parameters.has(name, code) ? [[code, include]] : [];
      }),
    );
    const added = [...needed].flatMap(([code, include]) => {
      const found = parameters.named(name, [{ name: code }]).filter(one => one['type'] === 'reference');
      if (found.length > 0)
        add(`Added to ${name}: the parameter \`${code}\`, which \`${include}\` of the guide needs.`);
      return found;
    });
    return { ...type, searchParam: [...objectsOf(type['searchParam']), ...added] };
  });
}

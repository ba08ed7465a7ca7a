import { fileURLToPath } from 'node:url';
import { cacheFolders, openDiskCache } from '../definitions/disk-cache.ts';
import { indexDefinitions } from '../definitions/definitions.ts';
import { systemInteractions } from '../fhir/interaction.ts';
import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { readSources } from '../definitions/source.ts';
import { defaultCompartment } from '../model/access-rules.ts';
import { extensionBase } from '../model/extension-shapes.ts';
import type { Model } from '../model/model.ts';
import { baseTypes } from '../model/type-definitions.ts';
import { declareType } from './declare.ts';
import { everywhere, guideParameters } from './parameters.ts';
import { prune } from './prune.ts';

/** A requirement of a guide that this server does not declare. */
export interface LeftOut {
  readonly type: string;
  readonly what: string;
  readonly why: string;
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
  const found = await readSources({ definitions: packages, capability: undefined, root, cache });
  const { definitions, problems } = indexDefinitions(found.definitions);
  const refused = [...found.problems, ...problems];
  if (refused.length > 0) throw new Error(refused.map(({ file, text }) => `${file}: ${text}`).join('\n'));
  const types = baseTypes(definitions);
  const leftOut: LeftOut[] = [];
  const leaveOut = (type: string, what: string, why: string): void => {
    if (!leftOut.some(one => one.type === type && one.what === what))
      leftOut.push({ type, what, why: why.replace(/; remove it\./, '.') });
  };
  const rests = objectsOf(guide['rest']).filter(({ mode }) => mode === 'server');
  for (const rest of rests) {
    for (const list of ['interaction', 'operation'])
      for (const { code, name } of objectsOf(rest[list]))
        leaveOut('the system', `\`${String(code ?? name)}\``, notOfSystem(code));
  }
  const resources = rests.flatMap(rest => objectsOf(rest['resource'])).filter(({ type }) => chosen(String(type)));
  const isOpen = resources.every(({ interaction }) => objectsOf(interaction).length === 0);
  const isGuide = ({ package: from }: { readonly package: string | undefined }): boolean => from === packages[0];
  const parameters = guideParameters(definitions, types, isGuide, leaveOut);
  const known = resources.filter(({ type }) => {
    const isKnown = types.resourceTypes.has(String(type));
    if (!isKnown) leaveOut(String(type), 'the type', 'It is not a resource type of FHIR R4.');
    return isKnown;
  });
  const declared = known
    .map(resource => declareType(resource, parameters, isOpen, leaveOut))
    .filter(type => {
      const isServed = objectsOf(type['interaction']).length > 0;
      if (!isServed) leaveOut(String(type['type']), 'the type', 'None of its requirements is supported.');
      return isServed;
    });
  const statementOf = (of: readonly JsonObject[]): JsonObject => statement(guide, of.map(withoutEmpty));
  const pruned = prune(declared, statementOf, { definitions, types }, leaveOut);
  const scoped = pruned.types.map(type => withScopes(type, pruned.model));
  return {
    statement: statementOf(scoped),
    leftOut,
    added: isOpen ? [addedInteractions] : [],
  };
}

/** Interactions of the system go beyond the types that are declared, so that only the operator declares them. */
const notOfSystem = (code: unknown): string =>
  systemInteractions.some(known => known === code)
    ? 'Declare it in `rest.interaction` if clients should have it.'
    : 'It is not declared automatically; declare it in `rest.operation` if this server supports it.';

const addedInteractions =
  'The guide names no interactions and parameters, so `read`, `search-type` and the parameters of ' +
  'R4 are declared; remove those that you do not need.';

function statement(guide: JsonObject, resource: readonly JsonObject[]): JsonObject {
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
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [{ mode: 'server', resource, searchParam: [...everywhere.values()] }],
  };
}

/** A scope for each context that covers records of the type; `patient/` for those that belong to a patient. */
function withScopes(type: JsonObject, { types, compartments }: Model): JsonObject {
  const name = String(type['type']);
  const codes = objectsOf(type['interaction']).map(({ code }) => code);
  const letters = Object.entries(interactionsOf).flatMap(([letter, of]) =>
    of.some(code => codes.includes(code)) ? [letter] : [],
  );
  const readable = letters.filter(letter => letter === 'r' || letter === 's').join('');
  const isOwner = [...compartments.values()].some(({ url, code }) => url === defaultCompartment && code === name);
  const isOwned = isOwner || (types.get(name)?.accessLinks.length ?? 0) > 0;
  const scopes = [
    ...(isOwned && readable !== '' ? [`patient/${name}.${readable}`] : []),
    ...['user', 'system'].map(context => `${context}/${name}.${letters.join('')}`),
  ];
  return { extension: scopes.map(valueString => ({ url: `${extensionBase}smart-scope`, valueString })), ...type };
}

/** The interactions that a letter allows, in the order of the letters in a scope (auth/may.ts). */
const interactionsOf = {
  c: ['create'],
  r: ['read', 'vread', 'history-instance'],
  u: ['update'],
  d: ['delete'],
  s: ['search-type', 'history-type'],
};

/** An empty array is not allowed in FHIR JSON. */
const withoutEmpty = (resource: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(resource).filter(([, value]) => !Array.isArray(value) || value.length > 0));

/** The name of a statement for people and files: its id, else the last part of its url. */
export const nameOf = ({ id, url }: JsonObject): string =>
  (asString(id) ?? asString(url)?.replace(/^.*\//s, '') ?? 'guide').replace(/[^\w.-]/g, '-');

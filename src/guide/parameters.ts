import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asString, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { createParameterCompiler } from '../model/search-parameters.ts';
import { supertypes } from '../model/type-definitions.ts';
import { expectationOf } from './expectation.ts';

/** Receives the omissions: a type, what is omitted, why, and how strongly the guide requires it. */
export type LeaveOut = (typeName: string, what: string, why: string, expectation?: string) => void;

/** The parameters of a guide that can be declared for its types. */
export interface GuideParameters {
  /** The named parameters with their definitions; those that cannot be indexed are omitted. */
  named(typeName: string, given: readonly JsonObject[]): readonly JsonObject[];
  /** The parameters of R4 and of the guide's package for a type. */
  all(typeName: string): readonly JsonObject[];
  /** True if a loaded definition of R4 or of the guide's package defines the parameter for the type. */
  has(typeName: string, code: string): boolean;
}

/** `isGuide` selects the definitions of the guide's own package. https://hl7.org/fhir/R4/searchparameter.html */
export function guideParameters(
  definitions: Definitions,
  types: TypeDefinitions,
  isGuide: (definition: Definition) => boolean,
  leaveOut: LeaveOut,
): GuideParameters {
  const collected: string[] = [];
  const compiler = createParameterCompiler(definitions, types, (_standing, _path, text) => void collected.push(text));
  const declared = (
    typeName: string,
    definition: Definition,
    name: string,
    expectation?: string,
  ): readonly JsonObject[] => {
    const node = { definition, path: '', json: {} };
    collected.length = 0;
    const param = compiler.byCanonical(definition.url, typeName, node, '');
    if (param !== undefined && (param.type !== 'special' || param.special !== undefined))
      return [{ name: param.code, definition: definition.url, type: param.type }];
    leaveOut(
      typeName,
      `the parameter \`${name}\``,
      collected[0] ?? 'Its type (special) is not supported.',
      expectation,
    );
    return [];
  };
  const candidates = (typeName: string): readonly Definition[] => {
    const bases = [typeName, ...supertypes(typeName, types)];
    return definitions
      .all('SearchParameter')
      .filter(one => isGuide(one) || one.url.startsWith(official))
      .filter(one => stringsOf(one.resource()['base']).some(base => bases.includes(base)));
  };
  const byCode = (typeName: string, code: string): Definition | undefined => {
    const found = candidates(typeName).filter(one => one.resource()['code'] === code);
    return found.find(isGuide) ?? found[0];
  };
  return {
    named: (typeName, given) =>
      given.flatMap((item): readonly JsonObject[] => {
        const name = asString(item['name']) ?? '';
        if (everywhere.has(name)) return [];
        const canonical = asString(item['definition']);
        const definition =
          (canonical === undefined ? undefined : definitions.find('SearchParameter', canonical)) ??
          byCode(typeName, name);
        const expectation = expectationOf(item);
        if (definition !== undefined) return declared(typeName, definition, name, expectation);
        leaveOut(typeName, `the parameter \`${name}\``, 'No SearchParameter defines it.', expectation);
        return [];
      }),
    has: (typeName, code) => byCode(typeName, code) !== undefined,
    all(typeName) {
      const codes = new Set(candidates(typeName).map(one => String(one.resource()['code'])));
      return [...codes]
        .filter(code => !code.startsWith('_'))
        .toSorted()
        .flatMap(code => {
          const definition = byCode(typeName, code);
          return definition === undefined ? [] : declared(typeName, definition, code);
        });
    },
  };
}

const official = 'http://hl7.org/fhir/SearchParameter/';

/** Declared once, for every type. https://hl7.org/fhir/R4/search.html#all */
export const everywhere: ReadonlyMap<string, JsonObject> = new Map([
  ['_id', { name: '_id', definition: `${official}Resource-id`, type: 'token' }],
  ['_lastUpdated', { name: '_lastUpdated', definition: `${official}Resource-lastUpdated`, type: 'date' }],
]);

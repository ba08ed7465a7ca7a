import { within } from '../../definitions/definition.ts';
import type { Definition } from '../../definitions/definition.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import { printProblem } from '../../definitions/problem.ts';
import type { Problem } from '../../definitions/problem.ts';
import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Terminology } from '../../terminology/bindings.ts';
import { nearest } from './nearest.ts';
import { isPlain } from './profile.ts';

/**
 * The mistakes in ValueSets and CodeSystems of single files. A code that is defined twice and a ValueSet that includes
 * itself prevent the start; a system, a code or an included ValueSet that is not loaded is a warning, since a
 * terminology server may know it. https://hl7.org/fhir/R4/valueset.html#compositions
 */
export function checkTerminology(
  definitions: Definitions,
  terminology: Pick<Terminology, 'has'>,
): { readonly problems: readonly Problem[]; readonly warnings: readonly string[] } {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const definition of definitions.all('CodeSystem').filter(isPlain))
    problems.push(...mistakesInCodes(definition, definitions));
  for (const definition of definitions.all('ValueSet').filter(isPlain)) {
    problems.push(...mistakesInCodes(definition, definitions));
    for (const [path, text] of missingParts(definition.resource(), definitions, terminology))
      warnings.push(printProblem(problemAt(definition, path, text)));
  }
  return { problems, warnings };
}

/** What no CodeSystem or ValueSet may have, whatever else is loaded; none of other definitions. */
export function mistakesInCodes(definition: Definition, definitions: Definitions): readonly Problem[] {
  const resource = definition.resource();
  if (definition.resourceType === 'ValueSet')
    return includesItself(definition, definitions)
      ? [problemAt(definition, 'compose', 'The ValueSet includes itself, so its codes are undecided.')]
      : [];
  if (definition.resourceType !== 'CodeSystem') return [];
  const circle = circleOfParents(resource);
  return [
    ...repeatedCodes(resource).map(([path, code]) =>
      problemAt(definition, path, `The code \`${code}\` is defined twice; a code has one concept.`),
    ),
    ...(circle === undefined
      ? []
      : [problemAt(definition, 'concept', `The code \`${circle}\` is its own parent, also through others.`)]),
  ];
}

/** A code that is above itself by the properties of the concepts; undefined if there is none. */
function circleOfParents(codeSystem: JsonObject): string | undefined {
  const parents = new Map<string, readonly string[]>();
  const read = (concepts: readonly JsonObject[], above: readonly string[]): void => {
    for (const { code, concept, property } of concepts) {
      const named = objectsOf(property).flatMap(one =>
        one['code'] === 'parent' && typeof one['valueCode'] === 'string' ? [one['valueCode']] : [],
      );
      parents.set(String(code), [...above, ...named]);
      read(objectsOf(concept), [String(code)]);
    }
  };
  read(objectsOf(codeSystem['concept']), []);
  // Codes without parents are taken away, until only circles and what is below them are left.
  const below = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [code, of] of parents) {
    const known = of.filter(one => parents.has(one));
    open.set(code, known.length);
    for (const one of known) below.set(one, [...(below.get(one) ?? []), code]);
  }
  const free = [...open].flatMap(([code, count]) => (count === 0 ? [code] : []));
  for (let code = free.pop(); code !== undefined; code = free.pop()) {
    open.delete(code);
    for (const one of below.get(code) ?? []) {
      const left = (open.get(one) ?? 0) - 1;
      open.set(one, left);
      if (left === 0) free.push(one);
    }
  }
  return open.keys().next().value;
}

const problemAt = (definition: Definition, path: string, text: string): Problem => ({
  file: definition.file,
  path: within(definition, path),
  text,
});

/** The places of codes that an earlier concept has, with the codes. */
function repeatedCodes(codeSystem: JsonObject): readonly (readonly [path: string, code: string])[] {
  const seen = new Set<string>();
  const repeated: (readonly [string, string])[] = [];
  const read = (concepts: readonly JsonObject[], above: string): void =>
    concepts.forEach(({ code, concept }, index) => {
      const path = `${above}concept[${index}]`;
      if (typeof code === 'string' && seen.has(code)) repeated.push([`${path}.code`, code]);
      if (typeof code === 'string') seen.add(code);
      read(objectsOf(concept), `${path}.`);
    });
  read(objectsOf(codeSystem['concept']), '');
  return repeated;
}

const includesOf = (valueSet: JsonObject): readonly JsonObject[] => objectsOf(asObject(valueSet['compose'])['include']);

function includesItself(definition: Definition, definitions: Definitions): boolean {
  const seen = new Set<Definition>();
  const open = [definition];
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const canonical of includesOf(one.resource()).flatMap(({ valueSet }) => stringsOf(valueSet))) {
      const included = definitions.find('ValueSet', canonical);
      if (included === definition) return true;
      if (included === undefined || seen.has(included)) continue;
      seen.add(included);
      open.push(included);
    }
  return false;
}

/** The places of what a ValueSet includes and no loaded definition has, in sentences. */
function* missingParts(
  valueSet: JsonObject,
  definitions: Definitions,
  terminology: Pick<Terminology, 'has'>,
): Generator<readonly [path: string, text: string]> {
  const urls = (resourceType: string): readonly string[] => definitions.all(resourceType).map(({ url }) => url);
  for (const [index, include] of includesOf(valueSet).entries()) {
    const at = `compose.include[${index}]`;
    // A published expansion has the codes.
    for (const [place, canonical] of stringsOf(include['valueSet']).entries())
      if (valueSet['expansion'] === undefined && definitions.find('ValueSet', canonical) === undefined)
        yield [
          `${at}.valueSet[${place}]`,
          `The ValueSet \`${canonical}\` is not loaded.${nearest(canonical, urls('ValueSet'))}`,
        ];
    const system = asString(include['system']);
    if (system === undefined) continue;
    // Most systems are too large to load; a similar name is a misspelt one.
    const meant = definitions.find('CodeSystem', system) === undefined ? nearest(system, urls('CodeSystem')) : '';
    if (meant !== '') yield [`${at}.system`, `The CodeSystem \`${system}\` is not loaded.${meant}`];
    for (const [place, { code }] of objectsOf(include['concept']).entries())
      if (typeof code === 'string' && terminology.has(system, code) === false)
        yield [
          `${at}.concept[${place}].code`,
          `\`${code}\` is not a code of \`${system}\`.${didYouMean(code, codesOf(system, definitions))}`,
        ];
  }
}

const codesOf = (system: string, definitions: Definitions): readonly string[] =>
  objectsOf(definitions.find('CodeSystem', system)?.resource()['concept']).map(({ code }) => String(code));

import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { placeOf } from './place.ts';
import type { Finding, Loaded } from './profile.ts';

/**
 * The mistakes in the head of an extension: a fixed url that is not its own, with which no value could conform, and a
 * context that R4 does not have, which is a warning. https://hl7.org/fhir/R4/defining-extensions.html
 */
export function checkExtensionHead(structure: JsonObject, { types }: Loaded): readonly Finding[] {
  if (structure['type'] !== 'Extension') return [];
  return [...wrongUrl(structure), ...unknownContexts(structure, types)];
}

function* wrongUrl(structure: JsonObject): Generator<Finding> {
  const url = asString(structure['url']);
  if (structure['baseDefinition'] !== extension) return; // a profile of another extension has the url of that
  for (const list of ['differential', 'snapshot'])
    for (const [index, element] of objectsOf(asObject(structure[list])['element']).entries()) {
      const fixed = element['path'] === 'Extension.url' ? asString(element['fixedUri']) : undefined;
      if (fixed === undefined || fixed === url) continue;
      const text = `The url of the extension is fixed to \`${fixed}\`; write its own, \`${url ?? ''}\`.`;
      yield { path: `${list}.element[${index}].fixedUri`, text, undecided: false };
    }
}

function* unknownContexts(structure: JsonObject, types: Loaded['types']): Generator<Finding> {
  for (const [index, { type, expression }] of objectsOf(structure['context']).entries()) {
    const path = asString(expression) ?? '';
    if (type !== 'element' || !/^[A-Z]\w*(\.\w+(\[x\])?)*$/.test(path)) continue; // a slice, or another kind of place
    const name = path.split('.')[0] ?? '';
    if (types.get(name) === undefined) {
      // Later releases have names for groups of types, such as `CanonicalResource`.
      const meant = didYouMean(name, types.resourceTypes);
      if (meant !== '') yield contextFinding(index, `There is no type \`${name}\`.${meant}`);
      continue;
    }
    const { missing } = placeOf(path, name, types);
    if (missing === undefined) continue;
    const owners = missing.owners.join(', ');
    yield contextFinding(
      index,
      `There is no element \`${missing.name}\` in ${owners}.${didYouMean(missing.name, missing.known)}`,
    );
  }
}

const extension = 'http://hl7.org/fhir/StructureDefinition/Extension';

const contextFinding = (index: number, problem: string): Finding => ({
  path: `context[${index}].expression`,
  text: `${problem} The extension is allowed only where a context is.`,
  undecided: true,
});

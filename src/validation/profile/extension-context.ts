import { asObject } from '../../fhir/json-object.ts';
import { EvaluationError, Undecided } from '../../fhirpath/evaluate/errors.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import { supertypes } from '../../model/type-definitions.ts';
import { environmentOf } from './invariant.ts';
import type { Snapshot } from './snapshot.ts';
import type { Walk } from './walk.ts';

/**
 * The abstract types of a FHIR type, nearest first: those of R4, and those that later releases introduced, which
 * extensions for R4 use in their contexts. https://hl7.org/fhir/R5/types.html
 */
function abstractTypes(name: string, types: TypeDefinitions): readonly string[] {
  const definition = types.get(name);
  return [...supertypes(name, types), ...(definition === undefined ? [] : laterTypes(definition, types)), 'Base'];
}

function laterTypes(definition: TypeDefinition, types: TypeDefinitions): readonly string[] {
  switch (definition.kind) {
    case 'resource':
      return isCanonical(definition) ? ['CanonicalResource', 'MetadataResource'] : [];
    case 'primitive-type':
      return ['PrimitiveType', 'DataType'];
    case 'complex-type':
      if (definition.abstract) return []; // an element within a type
      return supertypes(definition.name, types).includes('BackboneElement')
        ? ['BackboneType', 'DataType']
        : ['DataType'];
    default:
      return definition.kind satisfies never;
  }
}

/**
 * R4 has no type for canonical resources, which have a publication status and a context of use; one of R4 (for naming
 * systems) has no url yet. https://hl7.org/fhir/R4/resource.html#canonical
 */
const isCanonical = ({ elements }: TypeDefinition): boolean =>
  elements.has('useContext') &&
  elements.get('status')?.binding?.valueSet.replace(/\|.*/, '') === 'http://hl7.org/fhir/ValueSet/publication-status';

/**
 * Whether an extension may be used on its owner; undefined if that is undecided (an element of a profile). `around` is
 * the parent of the owner: an extension on the value of another extension extends that one.
 * https://hl7.org/fhir/R4/defining-extensions.html#context
 */
export function contextFits(
  { url, context: given }: Snapshot,
  owner: Node,
  around: Node | undefined,
  walk: Walk,
): boolean | undefined {
  if (given.length === 0) return undefined;
  const added = furtherContexts.get(url)?.contexts.map(expression => ({ type: 'element', expression })) ?? [];
  const context = added.length === 0 ? given : [...given, ...added];
  let result: boolean | undefined = false;
  let names: ReadonlySet<string> | undefined;
  for (const { type, expression } of context) {
    if (type === 'extension') {
      if ([owner, around].some(node => node?.code === 'Extension' && asObject(node.value)['url'] === expression))
        return true;
    } else if (type === 'fhirpath') {
      const found = selects(expression, owner, walk);
      if (found === true) return true;
      if (found === undefined) result = undefined;
    } else if (type !== 'element' || expression.includes(':') || expression.includes('#')) result = undefined;
    else if ((names ??= contextNames(owner, walk)).has(expression.replace('[x]', ''))) return true;
  }
  return result;
}

/** Whether a FHIRPath leads from the resource to the owner; undefined if that is undecided. */
function selects(expression: string, owner: Node, walk: Walk): boolean | undefined {
  const evaluate = walk.rulebook.expression(expression);
  // an equal text may be at several positions
  if (evaluate === undefined || typeof owner.value !== 'object') return undefined;
  const { resource } = walk.context;
  try {
    const found = evaluate([resource], environmentOf(resource, walk));
    return found.some(item => typeof item === 'object' && item.kind === 'node' && item.value === owner.value);
  } catch (error) {
    if (error instanceof Undecided || error instanceof EvaluationError) return undefined;
    throw error;
  }
}

/** The names of an element in a context: its types, its path in its type, and its path in the resource. */
function contextNames(owner: Node, { rulebook, findings }: Walk): ReadonlySet<string> {
  const { definition, element, code } = owner;
  const own = definition?.name ?? code;
  // R4's own extensions that name `Element` mean resources too.
  const names = new Set([
    own,
    code,
    'Element',
    ...abstractTypes(code, rulebook.types),
    ...abstractTypes(own, rulebook.types),
  ]);
  if (element !== undefined) {
    names.add(element.path.replace('[x]', ''));
    // Children that a type inherits have the paths of the inherited type too.
    const [type = '', ...steps] = element.path.split('.');
    for (const base of abstractTypes(type, rulebook.types)) names.add([base, ...steps].join('.').replace('[x]', ''));
  }
  names.add(pathOf(findings.path));
  return names;
}

/** The path of the extension's owner without indexes, from the innermost resource on. */
function pathOf(path: readonly (string | number)[]): string {
  const steps = path.filter(step => typeof step === 'string').slice(0, -1);
  return steps.join('.');
}

/** Extensions of R4 that R4 itself uses outside of their published contexts. */
const furtherContexts: ReadonlyMap<string, { readonly contexts: readonly string[]; readonly reason: string }> = new Map(
  [
    [
      'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type',
      {
        contexts: ['ElementDefinition.type'],
        reason: 'R4 names `ElementDefinition.type.code`, and writes it on `type` in every snapshot',
      },
    ],
    [
      'http://hl7.org/fhir/StructureDefinition/structuredefinition-normative-version',
      {
        contexts: [
          'ElementDefinition',
          'OperationDefinition',
          'CapabilityStatement',
          'ValueSet',
          'CodeSystem',
          'SearchParameter',
        ],
        reason: 'every normative artifact of R4 carries it',
      },
    ],
    [
      'http://hl7.org/fhir/StructureDefinition/regex',
      { contexts: ['ElementDefinition.type'], reason: 'the primitive types of R4 carry their patterns there' },
    ],
  ],
);

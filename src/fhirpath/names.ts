import { didYouMean } from '../fhir/suggest.ts';
import type { ElementDefinition, TypeDefinitions } from '../model/element.ts';
import { ExpressionError } from './syntax.ts';
import type { Expression } from './syntax.ts';

/**
 * The functions of FHIRPath and those that FHIR adds; any other is a mistake. https://hl7.org/fhirpath/N1/#functions
 */
export const functionNames: ReadonlySet<string> = new Set(
  `empty exists all allTrue anyTrue allFalse anyFalse subsetOf supersetOf count distinct isDistinct where select repeat
  ofType single first last tail skip take intersect exclude union combine iif toBoolean convertsToBoolean toInteger
  convertsToInteger toDate convertsToDate toDateTime convertsToDateTime toDecimal convertsToDecimal toQuantity
  convertsToQuantity toString convertsToString toTime convertsToTime indexOf substring startsWith endsWith contains
  upper lower replace matches replaceMatches length toChars split join trim encode decode abs ceiling exp floor ln log
  power round sqrt truncate children descendants trace now timeOfDay today not is as aggregate type coalesce
  extension hasExtension hasValue getValue resolve elementDefinition slice checkModifiers conformsTo memberOf subsumes
  subsumedBy htmlChecks lowBoundary highBoundary precision comparable sort escape unescape matchesFull lastIndexOf
  defineVariable`.split(/\s+/),
);

/**
 * Functions that only expressions of views have.
 * https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html
 */
export const viewFunctionNames: ReadonlySet<string> = new Set(['getResourceKey', 'getReferenceKey']);

/**
 * The value of a global variable: `%sct`, `%loinc`, `%ucum`, `%vs-name`, `%ext-name`; undefined for any other.
 * https://hl7.org/fhir/R4/fhirpath.html#variables
 */
export function constantOf(name: string): string | undefined {
  if (Object.hasOwn(constants, name)) return constants[name];
  const base = 'http://hl7.org/fhir/';
  if (name.startsWith('vs-')) return `${base}ValueSet/${name.slice(3)}`;
  return name.startsWith('ext-') ? `${base}StructureDefinition/${name.slice(4)}` : undefined;
}

const constants: Readonly<Record<string, string>> = {
  sct: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
  ucum: 'http://unitsofmeasure.org',
};

/** Variables whose values depend on the position of a rule. */
export const positionVariables: ReadonlySet<string> = new Set(['resource', 'rootResource', 'context']);

/** The type that a specifier names. */
export interface NamedType {
  /** FHIR type code, or the name of a type of FHIRPath itself: `Boolean`. */
  readonly code: string;
  /** True for a type of FHIRPath itself, with or without `System.`; an unqualified `Quantity` is FHIR's. */
  readonly system: boolean;
}

/** The type that a specifier names. Throws ExpressionError. https://hl7.org/fhirpath/N1/#type-specifier */
export function specifiedType(tree: Expression | undefined, text: string, definitions: TypeDefinitions): NamedType {
  const code = namedType(tree, text, definitions);
  const name = tree?.kind === 'member' ? tree.name : '';
  const qualifier = tree?.kind === 'member' && tree.of?.kind === 'member' ? tree.of.name : undefined;
  const system = qualifier === 'System' || (qualifier === undefined && Object.hasOwn(fhirNames, name));
  return system ? { code: name, system } : { code, system };
}

/**
 * The FHIR type that a type specifier names, without `FHIR.` and `System.`. The types of FHIRPath itself map to those
 * of FHIR: R4's own components write `value.as(DateTime)` and mean dateTime. Throws ExpressionError for an unknown
 * type. https://hl7.org/fhirpath/N1/#type-specifier
 */
export function namedType(tree: Expression | undefined, text: string, definitions: TypeDefinitions): string {
  if (tree?.kind !== 'member') throw new ExpressionError(text, tree?.at ?? 0, 'The name of a type was expected');
  const { of, name } = tree;
  if (of !== undefined && !(of.kind === 'member' && of.of === undefined && /^(FHIR|System)$/.test(of.name))) {
    throw new ExpressionError(text, of.at, 'A type is named as `Type`, `FHIR.Type` or `System.Type`');
  }
  if (of?.kind === 'member' && of.name === 'System' && !(name === 'Quantity' || Object.hasOwn(fhirNames, name))) {
    throw new ExpressionError(text, tree.at, `There is no type \`System.${name}\`.`);
  }
  const code = fhirNames[name] ?? name;
  if (definitions.get(code) !== undefined) return code;
  const known = [...definitions.resourceTypes, ...dataTypes];
  throw new ExpressionError(text, tree.at, `There is no type \`${name}\`.${didYouMean(name, known)}`);
}

const fhirNames: Readonly<Record<string, string>> = {
  Boolean: 'boolean',
  String: 'string',
  Integer: 'integer',
  Decimal: 'decimal',
  Date: 'date',
  DateTime: 'dateTime',
  Time: 'time',
};

/** For suggestions only. */
const dataTypes =
  `Address Age Annotation Attachment CodeableConcept Coding ContactPoint Count Distance Duration HumanName
  Identifier Money Period Quantity Range Ratio Reference SampledData Timing boolean canonical code date dateTime
  decimal id instant integer string time uri url`.split(/\s+/);

/**
 * Whether the definitions leave the type of an element open: R4 types ids and the urls of extensions as FHIRPath
 * strings, and names a FHIR type beside it.
 */
export const isAmbiguous = (element: ElementDefinition | undefined, code: string): boolean =>
  element !== undefined && (element.name === 'id' || element.path === 'Extension.url') && texts.has(code);

const texts: ReadonlySet<string> = new Set(['String', 'string', 'id', 'uri', 'Element']);

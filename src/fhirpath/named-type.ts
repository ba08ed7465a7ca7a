import { didYouMean } from '../fhir/suggest.ts';
import type { ElementDefinition, TypeDefinitions } from '../model/element.ts';
import { ExpressionError } from './syntax.ts';
import type { Expression } from './syntax.ts';

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
  if (of?.kind === 'member' && of.name === 'System' && !isSystemType(name)) {
    throw new ExpressionError(text, tree.at, `There is no type \`System.${name}\``);
  }
  const code = fhirNames[name] ?? name;
  if (definitions.get(code) !== undefined) return code;
  const known = [...definitions.resourceTypes, ...dataTypes];
  throw new ExpressionError(text, tree.at, `There is no type \`${name}\`.${didYouMean(name, known)}`);
}

/** Whether a name is that of a type of FHIRPath itself. https://hl7.org/fhirpath/N1/#models */
export const isSystemType = (name: string): boolean => name === 'Quantity' || Object.hasOwn(fhirNames, name);

/**
 * Whether the definitions leave the type of an element open: R4 types ids and the urls of extensions as FHIRPath
 * strings, and names a FHIR type beside it.
 */
export const isAmbiguous = (element: ElementDefinition | undefined, code: string): boolean =>
  element !== undefined && (element.name === 'id' || element.path === 'Extension.url') && texts.has(code);

const texts: ReadonlySet<string> = new Set(['String', 'string', 'id', 'uri', 'Element']);

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

/**
 * The functions of FHIRPath and those that FHIR adds; any other is a mistake. https://hl7.org/fhirpath/N1/#functions
 */
export const functions: ReadonlySet<string> = new Set(
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

/**
 * True for a name of a view, a column or a constant.
 * https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html
 */
export const isViewName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && name.length <= longest;

/** What a database takes as the name of a column. */
const longest = 255;

/** The rest of a sentence about such a name. */
export const nameRule = 'begins with a letter and has letters, digits and `_` after it.';

/** A text that is not FHIR in XML, or content that XML cannot have: the problem and its place. */
export class XmlError extends Error {
  /** The place as FHIRPath: `Patient.name[0].given[1]`; empty for the whole. */
  readonly path: string;
  /** Line and column of a text that was read, from 1; undefined for content that was to be written. */
  readonly at: { readonly line: number; readonly column: number } | undefined;

  constructor(message: string, path: string, at?: { readonly line: number; readonly column: number }) {
    super(message);
    this.name = 'XmlError';
    this.path = path;
    this.at = at;
  }

  /** The message with line and column. */
  get withPlace(): string {
    return this.at === undefined ? this.message : `${this.message} Line ${this.at.line}, column ${this.at.column}.`;
  }
}

/** The path of names and indexes: `Patient.name[0].given[1]`. */
export const pathOf = (steps: readonly (string | number)[]): string =>
  steps.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('');

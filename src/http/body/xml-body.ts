import { FhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import { XmlDecoder, linesOf, withFhirErrors } from '../../fhir/xml/convert.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import type { FhirResponse } from '../../interaction/interaction.ts';
import type { BodyReader } from './body.ts';
import { largeBody } from './uploads.ts';

/** Finds the line of a path in a body. */
type LineOf = (path: string) => number | undefined;

/** Reads a body as XML to JSON while it arrives, and knows the lines of its elements if it is not large. */
export class XmlBody implements BodyReader {
  readonly #types: XmlTypes;
  readonly #decoder: XmlDecoder;
  /** The XML, for lines. */
  #chunks: Buffer[] | undefined = [];
  #length = 0;

  constructor(types: XmlTypes) {
    this.#types = types;
    this.#decoder = new XmlDecoder(types);
  }

  push(chunk: Buffer): Buffer {
    this.#length += chunk.length;
    if (this.#length > largeBody) this.#chunks = undefined;
    this.#chunks?.push(chunk);
    return withFhirErrors(() => Buffer.from(this.#decoder.push(chunk)));
  }

  end(): Buffer {
    return withFhirErrors(() => Buffer.from(this.#decoder.end()));
  }

  /** The error with the line of each place. */
  located(error: unknown): unknown {
    if (!(error instanceof FhirError)) return error;
    const lineOf = this.#lines();
    if (lineOf === undefined || !error.issues.some(({ expression }) => expression !== undefined)) return error;
    const issues = error.issues.map(issue => ({ ...issue, text: withLine(issue.text, issue.expression, lineOf) }));
    return new FhirError(error.status, issues, error.headers);
  }

  /** The response with the line of each place of an OperationOutcome. */
  locatedAnswer(response: FhirResponse): FhirResponse {
    if (response.body?.startsWith('{"resourceType":"OperationOutcome"') !== true) return response;
    const outcome: unknown = JSON.parse(response.body);
    const issues = isObject(outcome) ? outcome['issue'] : undefined;
    const lineOf = this.#lines();
    if (lineOf === undefined || !Array.isArray(issues)) return response;
    const issue = issues.map((one: unknown) => {
      const { diagnostics, expression } = isObject(one) ? one : {};
      const [path] = Array.isArray(expression) ? (expression as readonly unknown[]) : [];
      if (!isObject(one) || typeof diagnostics !== 'string' || typeof path !== 'string') return one;
      return { ...one, diagnostics: withLine(diagnostics, path, lineOf) };
    });
    return { ...response, body: JSON.stringify({ ...(outcome as object), issue }) }; // an object, as above
  }

  #lines(): LineOf | undefined {
    return this.#chunks === undefined ? undefined : linesOf(Buffer.concat(this.#chunks), this.#types);
  }
}

function withLine(text: string, path: string | undefined, lineOf: LineOf): string {
  const line = path === undefined ? undefined : lineOf(path);
  return line === undefined ? text : `${text} Line ${line}.`;
}

import type { TypeDefinitions } from '../../model/element.ts';
import { placeIn } from '../delegate/job.ts';
import type { Job, JobResult } from '../delegate/job.ts';
import { runNow } from '../delegate/run.ts';
import type { ResultType } from '../result-type.ts';
import { ExpressionError } from '../syntax.ts';
import type { Choose, Receive } from './scope.ts';

/** Runs an expression on a value; `resource` is the value of `%resource`. */
export type RunExpression = (value: object, resource: object) => void;

/** fhirpath.js fails to evaluate an expression on a value, or exceeds its time. The message may quote the value. */
export class NotEvaluated extends Error {}

/**
 * An expression that fhirpath.js runs, for forms that are not compiled; this thread waits for it. Types are known only
 * with a value, so `choose` is called then. Throws ExpressionError if fhirpath.js rejects the expression; the returned
 * function throws NotEvaluated.
 */
export function delegate(
  expression: string,
  type: ResultType,
  definitions: TypeDefinitions,
): (choose: Choose) => RunExpression {
  const evaluate = (value: object, resource: object): readonly JobResult[] => {
    const [answer] = runNow([jobOf(asOfType(expression), type, value, resource)]);
    if (answer?.kind === 'results') return answer.results;
    if (answer?.kind === 'late') throw new NotEvaluated(`it takes longer than ${answer.milliseconds} ms`);
    throw new NotEvaluated(answer?.message);
  };
  try {
    const empty = type.definition?.kind === 'resource' ? { resourceType: type.code } : {};
    evaluate(empty, empty);
  } catch (error) {
    if (!(error instanceof NotEvaluated)) throw error;
    throw new ExpressionError(expression, 0, `fhirpath.js does not evaluate the expression: ${error.message}`);
  }
  return choose => {
    const receivers = new Map<string, Receive | undefined>();
    return (value, resource) => {
      for (const result of evaluate(value, resource)) {
        if (!receivers.has(result.type)) receivers.set(result.type, choose(foundType(result.type, type, definitions)));
        hand(result, receivers.get(result.type), value, resource);
      }
    };
  };
}

function hand({ place, value }: JobResult, receive: Receive | undefined, focus: object, resource: object): void {
  if (receive === undefined) return;
  if (place === undefined) {
    receive(value, resource, '');
    return;
  }
  const at = placeIn(place, focus, resource);
  const found =
    // JSON
    at === undefined ? (place.of === 'focus' ? focus : resource) : (at.parent as Record<string, unknown>)[at.key];
  if (found !== undefined && found !== null) receive(found, at?.parent ?? resource, at?.key ?? '');
}

const jobOf = (expression: string, { code, definition }: ResultType, value: object, resource: object): Job => ({
  expression,
  focus: { value, code, type: definition?.name ?? code },
  resource,
  rootResource: resource,
  resolve: 'type',
});

/**
 * `(X as T)` and `X.as(T)` written with ofType: R4's own parameters use `as` on several elements, which FHIRPath
 * forbids and by which they mean ofType. https://hl7.org/fhirpath/N1/#as-type-specifier
 */
export function asOfType(expression: string): string {
  // Strings are at the odd indexes.
  const parts = expression.split(/('(?:[^'\\]|\\.)*')/);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/\(\s*([\w.]+)\s+as\s+([\w.]+)\s*\)/g, '$1.ofType($2)').replace(/\.as\s*\(/g, '.ofType('),
    )
    .join('');
}

const foundType = (code: string, from: ResultType, definitions: TypeDefinitions): ResultType => ({
  code,
  definition: definitions.get(code),
  element: undefined,
  path: from.path,
  many: true,
});

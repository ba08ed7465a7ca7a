import { Questions } from '../../fhirpath/delegate/job.ts';
import { run, runNow } from '../../fhirpath/delegate/run.ts';
import type { ValidationIssue } from './findings.ts';

type Issues = readonly ValidationIssue[];

/** Most rounds: answers may lead to further questions (whether a target conforms to a profile), but rarely. */
const rounds = 3;

/**
 * Validates, and if rules were delegated to fhirpath.js, runs them all there and validates again with the answers.
 * Returns no promise if nothing was delegated and `validate` returns none; fhirpath.js is not loaded then.
 */
export function validateDelegating(
  validate: (questions: Questions) => Issues | Promise<Issues>,
): Issues | Promise<Issues> {
  const questions = new Questions();
  const first = validate(questions);
  return Array.isArray(first) && questions.open.length === 0 ? first : settled(first, questions, validate);
}

async function settled(
  first: Issues | Promise<Issues>,
  questions: Questions,
  validate: (questions: Questions) => Issues | Promise<Issues>,
): Promise<Issues> {
  let issues = await first;
  for (let round = 0; round < rounds && questions.open.length > 0; round++) {
    questions.settle(await run(questions.open));
    issues = await validate(questions);
  }
  return issues;
}

/** Validates without a promise: this thread waits for fhirpath.js. */
export function validateDelegatingNow(validate: (questions: Questions) => Issues): Issues {
  const questions = new Questions();
  let issues = validate(questions);
  for (let round = 0; round < rounds && questions.open.length > 0; round++) {
    questions.settle(runNow(questions.open));
    issues = validate(questions);
  }
  return issues;
}

import { Questions } from '../../fhirpath/delegate/questions.ts';
import { run } from '../../fhirpath/delegate/later.ts';
import { runNow } from '../../fhirpath/delegate/now.ts';
import type { ValidationIssue } from './findings.ts';

type Issues = readonly ValidationIssue[];

/** Answers may lead to further questions (whether a target meets a profile), but not often. */
const rounds = 3;

/**
 * Validates, and where rules were left to fhirpath.js, has it run them all and validates again with what it answered.
 * Where nothing was left and `validate` makes no promise, none is made, and fhirpath.js is not loaded.
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

/** The same without a promise: this thread waits for fhirpath.js. */
export function validateDelegatingNow(validate: (questions: Questions) => Issues): Issues {
  const questions = new Questions();
  let issues = validate(questions);
  for (let round = 0; round < rounds && questions.open.length > 0; round++) {
    questions.settle(runNow(questions.open));
    issues = validate(questions);
  }
  return issues;
}

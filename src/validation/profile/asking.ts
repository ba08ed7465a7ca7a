import { isAskable, keyOf } from '../../terminology/question.ts';
import type { Membership, Question } from '../../terminology/question.ts';
import type { TerminologyServer } from '../../terminology/server.ts';
import type { ValidationIssue } from './findings.ts';
import type { Terminology } from '../../terminology/bindings.ts';

/** Most questions about one resource; further ones stay undecided. */
const most = 200;
/** Most rounds: answers may lead to further questions (a slice that a code selects), but rarely. */
const rounds = 3;

/**
 * Validates with the loaded terminology first. If that leaves codes undecided, sends all of them to the server at once,
 * and validates again with the answers. Returns no promise if nothing is undecided, or the answers are cached. `limit`
 * is in milliseconds: a later answer counts as unavailable.
 */
export function validateWithAnswers(
  validate: (terminology: Terminology) => readonly ValidationIssue[],
  loaded: Terminology,
  server: TerminologyServer,
  limit: number,
): readonly ValidationIssue[] | Promise<readonly ValidationIssue[]> {
  const answers = new Map<string, Membership>();
  const once = (): { readonly issues: readonly ValidationIssue[]; readonly open: readonly Question[] } => {
    const open = new Map<string, Question>();
    const issues = validate(withAnswers(loaded, question => answerTo(question, answers, server, open)));
    return { issues, open: [...open.values()] };
  };
  const first = once();
  if (first.open.length === 0) return first.issues;
  return (async () => {
    const end = performance.now() + limit;
    let { issues, open } = first;
    for (let round = 0; round < rounds && open.length > 0; round++) {
      const now = open.slice(0, most - answers.size);
      const given = await Promise.all(now.map(question => inTime(server.ask(question), end)));
      for (const [index, question] of now.entries()) answers.set(keyOf(question), given[index] ?? 'unreachable');
      if (now.length === 0) break;
      ({ issues, open } = once());
    }
    return issues;
  })();
}

function answerTo(
  question: Question,
  answers: ReadonlyMap<string, Membership>,
  server: TerminologyServer,
  open: Map<string, Question>,
): Membership {
  const key = keyOf(question);
  const answer = answers.get(key) ?? server.known(question);
  if (answer !== undefined) return answer;
  if (open.size < most) open.set(key, question);
  return 'unsure';
}

/** The loaded terminology, and for undecided questions an answer of the server. */
function withAnswers(loaded: Terminology, answer: (question: Question) => Membership): Terminology {
  const ask = (valueSet: string, code: string, system: string | undefined): Membership => {
    const question = { valueSet, code, system: system ?? '' };
    return isAskable(question) ? answer(question) : 'unsure';
  };
  return {
    ...loaded,
    contains(valueSet, code, system) {
      const found = loaded.contains(valueSet, code, system);
      if (found !== undefined) return found;
      const said = ask(valueSet, code, system);
      return said === 'in' ? true : said === 'out' ? false : undefined;
    },
    isUnanswered: (valueSet, code, system) =>
      loaded.contains(valueSet, code, system) === undefined && ask(valueSet, code, system) === 'unreachable',
  };
}

async function inTime(answer: Promise<Membership>, end: number): Promise<Membership> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Membership>(resolve => {
    timer = setTimeout(() => resolve('unreachable'), Math.max(0, end - performance.now()));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

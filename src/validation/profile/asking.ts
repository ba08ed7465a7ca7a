import { isAskable, keyOf } from '../../terminology/question.ts';
import type { Answer, Question } from '../../terminology/question.ts';
import type { TerminologyServer } from '../../terminology/server.ts';
import type { ValidationIssue } from './findings.ts';
import type { Terminology } from './terminology.ts';

/** Most questions of one resource; what more there is stays undecided. */
const most = 200;
/** Answers may lead to further questions (a slice that is found by a code), but not often. */
const rounds = 3;

/**
 * Validates with the loaded terminology first. Where that leaves codes open the server is asked for all of them at once, and the
 * resource is validated again with what it says. Without open codes, or with answers that are known already, no promise is made.
 * `limit` is in milliseconds: what is not answered by then counts as unreachable.
 */
export function askAndValidate(
  validate: (terminology: Terminology) => readonly ValidationIssue[],
  loaded: Terminology,
  server: TerminologyServer,
  limit: number,
): readonly ValidationIssue[] | Promise<readonly ValidationIssue[]> {
  const answers = new Map<string, Answer>();
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
  answers: ReadonlyMap<string, Answer>,
  server: TerminologyServer,
  open: Map<string, Question>,
): Answer {
  const key = keyOf(question);
  const answer = answers.get(key) ?? server.known(question);
  if (answer !== undefined) return answer;
  if (open.size < most) open.set(key, question);
  return 'unsure';
}

/** The loaded terminology, and where that cannot tell, an answer. */
function withAnswers(loaded: Terminology, answer: (question: Question) => Answer): Terminology {
  const ask = (valueSet: string, code: string, system: string | undefined): Answer => {
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

async function inTime(answer: Promise<Answer>, end: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>(resolve => {
    timer = setTimeout(() => resolve('unreachable'), Math.max(0, end - performance.now()));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

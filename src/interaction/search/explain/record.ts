import type { ExplainedAnswer, ExplainedStatement } from '../../../store/port/explained.ts';
import type { SearchedPartition } from '../joined.ts';

/** Steps of a search that read the store in the same way, one after the other. */
export interface Step {
  readonly operation: 'search' | 'count' | 'read';
  readonly type: string;
  readonly clauses: ExplainedAnswer['clauses'];
  readonly order: ExplainedAnswer['order'];
  /** Statements with the same text are one. */
  readonly statements: readonly Statement[];
  /** How often it was done. */
  readonly times: number;
  readonly examined: number;
  readonly returned: number;
  readonly sharesIndexes: boolean;
}

export interface Statement extends ExplainedStatement {
  readonly times: number;
}

/** Most steps of an explanation. */
export const MOST_STEPS = 200;

/** A partition whose reads are recorded, the first `MOST_STEPS` of them. */
export interface Recorded {
  readonly partition: SearchedPartition;
  readonly steps: readonly Step[];
}

export function recorded(partition: SearchedPartition): Recorded {
  const steps: Step[] = [];
  const add = (step: Step): void => {
    const before = steps.at(-1);
    if (before !== undefined && shapeOf(before) === shapeOf(step)) steps[steps.length - 1] = together(before, step);
    else if (steps.length < MOST_STEPS) steps.push(step);
  };
  const { id, settings, timeOf } = partition;
  return {
    steps,
    partition: {
      id,
      settings,
      timeOf,
      async search(type, search) {
        const answers: ExplainedAnswer[] = [];
        let returned = 0;
        try {
          const page = await partition.search(type, { ...search, explain: answer => void answers.push(answer) });
          returned = page.versions.length;
          return page;
        } finally {
          add(stepOf('search', type, answers, returned));
        }
      },
      async count(type, query) {
        const answers: ExplainedAnswer[] = [];
        try {
          return await partition.count(type, query, answer => void answers.push(answer));
        } finally {
          add(stepOf('count', type, answers, 1));
        }
      },
      types: referringTo => partition.types(referringTo),
      async read(type, ...key) {
        const found = await partition.read(type, ...key);
        add(readOf(type, found === undefined ? 0 : 1));
        return found;
      },
      async readMany(keys) {
        const found = await partition.readMany(keys);
        const [{ type } = { type: '' }] = keys;
        add(readOf(type, found.length));
        return found;
      },
    },
  };
}

const readOf = (type: string, found: number): Step => {
  const nothing = { clauses: [], order: [], statements: [], sharesIndexes: false };
  return { operation: 'read', type, ...nothing, times: 1, examined: found, returned: found };
};

/** A sort without an index is several answers: its batches, and a count. */
function stepOf(
  operation: 'search' | 'count',
  type: string,
  answers: readonly ExplainedAnswer[],
  returned: number,
): Step {
  const [first] = answers;
  const all = answers.flatMap(({ statements }) => statements).map(one => ({ ...one, times: 1 }));
  const statements = merged(all);
  const examined = statements.reduce((sum, one) => sum + one.examined, 0);
  const { clauses = [], order = [], sharesIndexes = false } = first ?? {};
  return { operation, type, clauses, order, statements, times: 1, examined, returned, sharesIndexes };
}

function together(a: Step, b: Step): Step {
  return {
    ...a,
    statements: merged([...a.statements, ...b.statements]),
    times: a.times + b.times,
    examined: a.examined + b.examined,
    returned: a.returned + b.returned,
  };
}

function merged(statements: readonly Statement[]): readonly Statement[] {
  return [...Map.groupBy(statements, ({ text, plan }) => [text, ...plan].join('\n')).values()].map(same => {
    const sum = (of: (one: Statement) => number): number => same.reduce((total, one) => total + of(one), 0);
    const { text = '', plan = [] } = same[0] ?? {};
    return {
      text,
      plan,
      times: sum(one => one.times),
      examined: sum(one => one.examined),
      returned: sum(one => one.returned),
    };
  });
}

const shapeOf = ({ operation, type, clauses, order }: Step): string =>
  JSON.stringify([operation, type, clauses.map(({ index, use }) => [index, use]), order]);

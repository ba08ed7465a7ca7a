import { answerForParent } from '../../../src/cli/answer-for-parent.ts';
import { createLog } from '../../../src/observability/log.ts';

// The program of a child with a defect that SIGWINCH shows, which logs nothing.
answerForParent({ log: { ...createLog('off'), fatal: () => {} } });
process.on('SIGWINCH', () =>
  setImmediate(() => {
    throw new Error('a mistake');
  }),
);

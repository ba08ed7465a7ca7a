import { run } from '../fhirpath/delegate/run.ts';
import { Questions } from '../fhirpath/delegate/job.ts';
import { rowsOf } from './rows.ts';
import type { ViewRecord, ViewRow } from './rows.ts';
import type { View } from './view.ts';

/**
 * The rows of one record, with the answers of fhirpath.js to what it evaluates. `now` is the time of the run, an
 * instant in UTC. Throws RowError.
 */
export function readRows(
  view: View,
  record: ViewRecord,
  now: string,
): readonly ViewRow[] | Promise<readonly ViewRow[]> {
  const questions = new Questions();
  // Runs of one view alternate, each with a time of its own.
  view.state.now = now;
  return rowsOf(view, record, questions) ?? answered(view, record, now, questions);
}

async function answered(
  view: View,
  record: ViewRecord,
  now: string,
  questions: Questions,
): Promise<readonly ViewRow[]> {
  for (;;) {
    questions.settle(await run(questions.open));
    view.state.now = now;
    const rows = rowsOf(view, record, questions);
    if (rows !== undefined) return rows;
  }
}

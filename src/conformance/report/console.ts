import { counted } from '../../observability/counted.ts';
import { clauseOf } from '../clauses.ts';
import { curlOf } from '../client.ts';
import { failuresOf, summariesOf } from './report.ts';
import type { Report } from './report.ts';

/** Failures that the console shows; the other forms have all. */
const mostShown = 20;

/** The report for a terminal, line by line. */
export function* consoleReport(report: Report): Iterable<string> {
  const { base, statement, sampled, unknown, requests, milliseconds, hasToken } = report;
  if (statement !== undefined) {
    yield `${base}: ${statement.software === '' ? 'a server' : statement.software}, FHIR ${statement.fhirVersion}`;
    const found = [...sampled].map(([type, records]) => `${type} ${records}`);
    yield `Sample: ${found.length === 0 ? 'none' : found.join(', ')}`;
  }
  for (const url of unknown) yield `Tested by name only, since its definition is not known: ${url}`;
  yield '';
  yield row('Check', 'Passed', 'Failed', 'Open');
  for (const { check, pass, fail, open } of summariesOf(report)) yield row(check, pass, fail, open);
  const failures = failuresOf(report);
  for (const { check, subject, came, expected, exchange } of failures.slice(0, mostShown)) {
    const { title, url } = clauseOf(check);
    yield '';
    yield `FAILED ${check}: ${subject}`;
    yield `  Clause    ${title}`;
    yield `            ${url}`;
    yield `  Came      ${came}`;
    yield `  Expected  ${expected}`;
    if (exchange !== undefined) yield `  Request   ${curlOf(exchange, hasToken)}`;
  }
  if (failures.length > mostShown) yield `\n… and ${failures.length - mostShown} more; --html writes all of them.`;
  yield '';
  const seconds = Math.round(milliseconds / 1000);
  const result = failures.length === 0 ? 'No failure' : counted(failures.length, 'failure');
  const open = report.findings.count('open');
  yield `${result}, ${counted(open, 'open result')} in ${counted(requests, 'request')} and ${seconds} s.`;
}

const row = (check: string, ...figures: readonly (string | number)[]): string =>
  [check.padEnd(34), ...figures.map(figure => String(figure).padStart(7))].join(' ');

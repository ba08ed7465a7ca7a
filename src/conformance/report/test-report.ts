import { clauseOf } from '../clauses.ts';
import { curlOf } from '../client.ts';
import { summariesOf } from './report.ts';
import type { Report, Summary } from './report.ts';

/** The report as a TestReport: a test for each check. https://hl7.org/fhir/R4/testreport.html */
export function testReport(report: Report): object {
  const { base, started, findings, statement, hasToken } = report;
  const [passed, failed] = [findings.count('pass'), findings.count('fail')];
  const summaries = summariesOf(report);
  return {
    resourceType: 'TestReport',
    name: `Conformance of ${base}`,
    status: 'completed',
    testScript: { display: 'Tests that are derived from the CapabilityStatement of the server' },
    result: failed === 0 ? 'pass' : 'fail',
    score: Math.round((passed / Math.max(1, passed + failed)) * 10_000) / 100,
    tester: 'Clinical Records Service, conformance',
    issued: new Date(started).toISOString(),
    participant: [{ type: 'server', uri: base, ...(statement?.software ? { display: statement.software } : {}) }],
    test: summaries.map(summary => testOf(summary, hasToken)),
  };
}

const results = { pass: 'pass', fail: 'fail', open: 'skip' } as const;

/** Passes of a check are one assertion. */
function testOf({ check, findings, pass }: Summary, hasToken: boolean): object {
  const { title, url } = clauseOf(check);
  const others = findings.filter(({ result }) => result !== 'pass');
  return {
    name: check,
    description: `${title}. ${url}`,
    action: [
      ...(pass === 0 ? [] : [{ assert: { result: 'pass', message: `Passed ${pass} times` } }]),
      ...others.map(({ result, subject, came, expected, exchange }) => ({
        assert: {
          result: results[result],
          message: [`${subject}: ${came}`, expected === '' ? '' : `Expected: ${expected}`].filter(Boolean).join('. '),
          ...(exchange === undefined ? {} : { detail: curlOf(exchange, hasToken) }),
        },
      })),
    ],
  };
}

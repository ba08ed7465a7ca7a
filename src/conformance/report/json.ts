import { clauseOf } from '../clauses.ts';
import { curlOf } from '../client.ts';
import type { Finding } from '../findings.ts';
import { summariesOf } from './report.ts';
import type { Report } from './report.ts';

/** The report as JSON: figures by check, and each finding that is not a pass. */
export function jsonReport(report: Report): object {
  const { base, statement, started, milliseconds, requests, sampled, unknown, findings, hasToken } = report;
  return {
    base,
    software: statement?.software ?? null,
    fhirVersion: statement?.fhirVersion ?? null,
    started: new Date(started).toISOString(),
    seconds: milliseconds / 1000,
    requests,
    passed: findings.count('pass'),
    failed: findings.count('fail'),
    open: findings.count('open'),
    sample: Object.fromEntries(sampled),
    unknownSearchParameters: unknown,
    checks: summariesOf(report).map(({ check, pass, fail, open, findings: found }) => ({
      check,
      ...clauseOf(check),
      passed: pass,
      failed: fail,
      open,
      findings: found.filter(({ result }) => result !== 'pass').map(one => findingOf(one, hasToken)),
    })),
  };
}

function findingOf({ result, subject, came, expected, exchange }: Finding, hasToken: boolean): object {
  if (exchange === undefined) return { result, subject, came, ...(expected === '' ? {} : { expected }) };
  const { status, headers, text } = exchange;
  const answer = { status, headers: Object.fromEntries(headers), body: text };
  return { result, subject, came, expected, request: curlOf(exchange, hasToken), answer };
}

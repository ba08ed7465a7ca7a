import { clauseOf } from '../clauses.ts';
import { curlOf } from '../client.ts';
import type { Exchange } from '../client.ts';
import type { Finding } from '../findings.ts';
import { failuresOf, summariesOf } from './report.ts';
import type { Report } from './report.ts';

/** Characters of an answer that the page shows. */
const longestBody = 4_000;

/** The report as one page without script: the figures, and every failure with its request and its clause. */
export function htmlReport(report: Report): string {
  const { base, started, statement, requests, hasToken, sampled, unknown } = report;
  const failures = failuresOf(report);
  const rows = summariesOf(report).map(
    ({ check, pass, fail, open }) =>
      `<tr${fail > 0 ? ' class="failed"' : ''}><th scope="row">${escaped(check)}</th>` +
      `<td>${link(clauseOf(check).url, clauseOf(check).title)}</td>` +
      `<td>${pass}</td><td>${fail}</td><td>${open}</td></tr>`,
  );
  const sample = [...sampled].map(([type, records]) => `${type} ${records}`).join(', ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escaped(base)}</title>
<style>${style}</style>
</head>
<body>
<h1>Conformance of ${escaped(base)}</h1>
<p>${escaped(statement?.software ?? '')}, FHIR ${escaped(statement?.fhirVersion ?? 'unknown')}.
${escaped(new Date(started).toISOString())}, ${requests} requests. Sample: ${escaped(sample)}.</p>
${unknown.map(url => `<p>Tested by name only: ${escaped(url)}</p>`).join('\n')}
<h2>Checks</h2>
<table>
<thead><tr><th scope="col">Check</th><th scope="col">Promise</th>
<th scope="col">Passed</th><th scope="col">Failed</th><th scope="col">Open</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
<h2>Failures: ${failures.length}</h2>
${failures.map(one => failure(one, hasToken)).join('\n')}
</body>
</html>
`;
}

function failure({ check, subject, came, expected, exchange }: Finding, hasToken: boolean): string {
  const { title, url } = clauseOf(check);
  return `<section>
<h3>${escaped(check)}: ${escaped(subject)}</h3>
<dl>
<dt>Clause</dt><dd>${link(url, title)}</dd>
<dt>Came</dt><dd>${escaped(came)}</dd>
<dt>Expected</dt><dd>${escaped(expected)}</dd>
</dl>
${exchange === undefined ? '' : answer(exchange, hasToken)}
</section>`;
}

function answer(exchange: Exchange, hasToken: boolean): string {
  const { status, headers, text, failure: why } = exchange;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const body = text.length > longestBody ? `${text.slice(0, longestBody)}\n… (${text.length} characters)` : text;
  const shown = [why ?? `Status ${status}`, ...lines, '', body].join('\n');
  return `<pre>${escaped(curlOf(exchange, hasToken))}</pre>
<details><summary>Answer</summary><pre>${escaped(shown)}</pre></details>`;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, one => escapes[one] ?? one);
const link = (url: string, text: string): string => `<a href="${escaped(url)}">${escaped(text)}</a>`;

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #8886; vertical-align: top; }
.failed { background: #c002; }
section { border-top: 2px solid #8886; margin-top: 1.5rem; }
dt { font-weight: 600; }
pre { background: #8881; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

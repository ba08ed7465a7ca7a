import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Flag } from '../config/flag.ts';
import { choice, some } from '../config/values.ts';
import { ConfigError } from '../config/read.ts';
import type { ValidationIssue } from '../validation/profile/validator.ts';
import { counted } from '../observability/counted.ts';
import type { Input } from '../bulk/input.ts';
import { openBytes } from '../bulk/read/bytes.ts';
import { JsonError, parseJson } from '../fhir/json.ts';
import type { Decimals } from '../fhir/json.ts';
import type { Issue } from '../fhir/outcome.ts';
import { decodeUtf8, withoutMark } from '../fhir/utf8.ts';
import { XmlError } from '../fhir/xml/error.ts';
import type { XmlTypes } from '../fhir/xml/layout.ts';
import { count } from './print.ts';
import { CommandError, defineCommand, exitCodes } from './command.ts';

/** A resource of a file, or the error of its text. */
interface ReadResource {
  /** From 1, in a file with one resource per line. */
  readonly line: number | undefined;
  readonly value: unknown;
  readonly decimals: Decimals;
  readonly broken: Issue | undefined;
  /** The line of a path, in XML. */
  readonly lineOf?: (path: string) => number | undefined;
}

/** The resources of a file: of NDJSON each line that is not blank, else its whole text, which may be XML. */
async function* readResources(input: Input, types: XmlTypes): AsyncIterable<ReadResource> {
  const chunks = openBytes(input, process.stdin);
  if (!input.lines) {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const bytes = Buffer.concat(parts);
    const isXml = withoutMark(bytes).find(byte => byte > 0x20) === 0x3c;
    yield isXml ? await parseXml(bytes, types) : parse(() => decodeUtf8(bytes), undefined);
    return;
  }
  let line = 0;
  for await (const text of createInterface({ input: Readable.from(chunks), crlfDelay: Infinity })) {
    line++;
    if (text.trim() !== '') yield parse(() => (line === 1 ? text.replace(/^\uFEFF/, '') : text), line);
  }
}

async function parseXml(bytes: Uint8Array, types: XmlTypes): Promise<ReadResource> {
  const { jsonOfXml, linesOf } = await import('../fhir/xml/convert.ts');
  try {
    return { ...parse(() => jsonOfXml(bytes, types), undefined), lineOf: linesOf(bytes, types) };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const { withPlace: text, path: expression } = error;
    return { line: undefined, ...nothing, broken: { severity: 'fatal', code: 'structure', text, expression } };
  }
}

const nothing = { value: undefined, decimals: new Map() };

function parse(text: () => string, line: number | undefined): ReadResource {
  try {
    const { value, decimals } = parseJson(text());
    return { line, value, decimals, broken: undefined };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = line === undefined ? ` Line ${error.line}, column ${error.column}.` : ` Column ${error.column}.`;
    const broken: Issue = { severity: 'fatal', code: 'structure', text: error.message + place, expression: error.path };
    return { line, ...nothing, broken };
  }
}

const flags = [
  {
    flag: 'profile',
    value: 'URL',
    read: some,
    repeats: true,
    meaning: 'A profile that each resource must meet, by its canonical URL',
  },
  {
    flag: 'output',
    value: 'HOW',
    read: choice('text', 'json'),
    default: 'text',
    meaning: '`text` for people, or `json`',
  },
] as const satisfies readonly Flag[];

/** Validates resources in files against R4, the profiles that they claim, and those of the flags. */
export const command = defineCommand({
  positionals: 'FILE...',
  details: `A file has one resource as JSON or XML, or one on each line (.ndjson), also compressed by gzip (.gz); a
folder means such files in it. Each is checked against R4, the profiles in its \`meta.profile\`, and
those of --profile. Exit code 3 if one has an error; warnings and notes are listed too. With --output
json one object per resource: file, line, resource, valid, issues. The known codes and profiles depend on
--definitions, and on --terminology-server, which receives codes that those do not decide.`,
  takes: ['interface', 'definitions', 'capability', 'terminology-server', 'terminology-timeout', 'debug'],
  own: flags,
  async run({ config, own, positionals }) {
    if (positionals.length === 0) throw new ConfigError(['FILE is missing.']);
    const missing = positionals.filter(file => !existsSync(file));
    if (missing.length > 0) throw new ConfigError(missing.map(file => `\`${file}\` does not exist.`));
    const [{ requireModel }, { createValidator }, { terminologyServerOf }, { listInputs }] = await Promise.all([
      import('../engine/definitions/load-model.ts'),
      import('../validation/profile/validator.ts'),
      import('../terminology/server.ts'),
      import('../bulk/input.ts'),
    ]);
    const { model, definitions, warnings } = await requireModel(config);
    for (const warning of warnings) console.error(`Warning: ${warning}`);
    const validator = createValidator(definitions, model.definitions, terminologyServerOf(config));
    const profiles = own.profile;
    const unknown = profiles.filter(profile => !validator.knows(profile));
    if (unknown.length > 0)
      throw new CommandError(
        unknown
          .flatMap(profile => [`No profile \`${profile}\` with a snapshot is loaded.`, ...validator.problems(profile)])
          .join('\n'),
      );
    let [total, invalid] = [0, 0];
    const { inputs } = await listInputs(positionals);
    for (const input of inputs) {
      const { name: file } = input;
      for await (const { line, value, decimals, broken, lineOf } of readResources(input, model.definitions)) {
        const options = { profiles, decimals, budget };
        const found = broken === undefined ? await validator.validateWithServer(value, options) : [broken];
        const issues = lineOf === undefined ? found : found.map(issue => withLine(issue, lineOf));
        const valid = issues.every(({ severity }) => severity !== 'error' && severity !== 'fatal');
        total++;
        if (!valid) invalid++;
        const resource = nameOf(value);
        if (own.output === 'json') console.log(JSON.stringify({ file, line, resource, valid, issues }));
        else
          for (const text of report(line === undefined ? file : `${file}:${line}`, resource, issues)) console.log(text);
      }
    }
    if (own.output !== 'json') console.log(`${counted(total, 'resource')} checked, ${count(invalid)} with errors.`);
    return invalid > 0 ? exitCodes.found : exitCodes.done;
  },
});

/** No other work waits for a command, so its budget is large. */
const budget = 100_000_000;

function* report(place: string, resource: string, issues: readonly ValidationIssue[]): Iterable<string> {
  const errors = issues.filter(({ severity }) => severity === 'error' || severity === 'fatal').length;
  if (issues.length === 0) yield `${place} ${resource}: valid`;
  else yield `${place} ${resource}: ${errors === 0 ? 'valid, with warnings' : counted(errors, 'error')}`;
  for (const { severity, expression, text, profile, rule } of issues) {
    const asked = [profile, rule].filter(one => one !== undefined).join(' › ');
    yield `  ${severity} ${expression ?? ''}: ${text}${asked === '' ? '' : `\n    ${asked}`}`;
  }
}

/** The finding with its line in XML. */
function withLine(issue: ValidationIssue, lineOf: (path: string) => number | undefined): ValidationIssue {
  const line = issue.expression === undefined ? undefined : lineOf(issue.expression);
  return line === undefined ? issue : { ...issue, text: `${issue.text} Line ${line}.` };
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('resourceType' in value)) return '';
  const id = 'id' in value ? `/${String(value.id)}` : '';
  return `${String(value.resourceType)}${id}`;
}

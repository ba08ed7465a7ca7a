import { parseArgs } from 'node:util';
import { checkContent, printProblems, withLists } from './check.ts';
import { issuerFormats, issuerProblems, issuersKey, readIssuer } from './issuers.ts';
import type { ReadFile } from './issuers.ts';
import { fileSchema } from './file-schema.ts';
import { readNamedText } from './named-file.ts';
import type { FileContent } from './file-schema.ts';
import { openBeyondLoopback } from './safe-start.ts';
import { defaultStores, fileFlag, settings } from './settings.ts';
import type { Config } from './config.ts';
import type { Flag, Given } from './flag.ts';
import { isLoopback } from './values.ts';
import { JsonError, parseJson } from '../fhir/json.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { parseStoreUrl } from '../store/url.ts';

export type { Config } from './config.ts';

/** All problems of flags, environment and file, one whole sentence each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The arguments of a command line, for a command with its own flags. */
export interface Arguments<Own extends readonly Flag[] = readonly Flag[]> {
  readonly config: Config;
  /** The settings that are given, by flag, as they were written. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly own: Given<Own>;
  readonly positionals: readonly string[];
}

/**
 * Reads settings from flags (without the command's name), environment, file and defaults, in this order of precedence.
 * Throws ConfigError with all problems.
 */
export function readConfig(argv: readonly string[], env: Environment = {}, readFile = readNamedText): Config {
  const { config, positionals } = readArguments(argv, env, { readFile });
  if (positionals.length > 0) throw new ConfigError(positionals.map(text => `\`${text}\` is not a flag.`));
  return config;
}

/**
 * Like readConfig, for a command with its own flags and positional arguments; `takes` are the settings that are
 * accepted as flags (all by default). Environment and file may contain any setting.
 */
export function readArguments(
  argv: readonly string[],
  env: Environment,
  command: { own?: readonly Flag[]; takes?: readonly string[]; readFile?: (path: string) => string } = {},
): Arguments {
  const problems: string[] = [];
  const own = command.own ?? [];
  const flags = readFlags(argv, own, command.takes, problems);
  const variables = readVariables(env, problems);
  const path = flags.given.get(fileFlag.flag)?.at(-1) ?? env[fileFlag.variable];
  const readFile = command.readFile ?? readNamedText;
  const content = path === undefined ? {} : readSettingsFile(path, readFile, problems);
  const file = path === undefined ? noFile : checkFile(content, path, readFile);
  problems.push(...file.problems);

  const fields = new Map<string, unknown>([['issuers' satisfies keyof Config, file.issuers]]);
  const texts = new Map<string, readonly string[]>();
  for (const setting of settings) {
    const { flag } = setting;
    const source = [
      { texts: flags.given.get(flag), name: `\`--${flag}\`` },
      { texts: variables.get(flag), name: `\`${setting.variable}\`` },
      { texts: file.texts.get(flag), name: `\`${flag}\` in ${path}` },
    ].find(source => source.texts !== undefined);
    if (source?.texts !== undefined) texts.set(flag, source.texts);
    fields.set(setting.field, readValue(setting, source?.texts, source?.name ?? '', problems));
  }
  const ownValues: Record<string, unknown> = {};
  for (const flag of own) {
    const value = readValue(flag, flags.given.get(flag.flag), `\`--${flag.flag}\``, problems);
    if (value !== undefined) ownValues[flag.flag] = value;
  }
  const read = Object.fromEntries(fields) as unknown as Config; // each field was read by its own row
  const config = Object.freeze(
    texts.has('store') || problems.length > 0 ? read : { ...read, store: defaultStores[read.interface] },
  );
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return { config, texts, own: ownValues, positionals: flags.positionals };
}

/** `{scheme}://{host}:{port}` of the service, or the configured public URL; `port` is the actual port. */
export function publicUrlOf(config: Config, port: number = config.port): string {
  if (config.publicUrl !== undefined) return config.publicUrl;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tlsCert === undefined ? 'http' : 'https'}://${host}:${port}`;
}

function readFlags(
  argv: readonly string[],
  own: readonly Flag[],
  takes: readonly string[] | undefined,
  problems: string[],
): { given: Map<string, string[]>; positionals: string[] } {
  const known = [fileFlag, ...settings.filter(({ flag }) => takes?.includes(flag) ?? true), ...own];
  const options = Object.fromEntries(
    known.map(({ flag, value }) => [flag, { type: value === undefined ? ('boolean' as const) : ('string' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = known.find(({ flag }) => flag === token.name);
    const name = `\`${token.rawName}\``;
    if (flag === undefined) {
      const elsewhere = settings.some(({ flag }) => flag === token.name);
      const hint = didYouMean(
        token.name,
        known.map(({ flag }) => flag),
      ).replace('`', '`--');
      problems.push(
        elsewhere ? `${name} does not apply to this command.` : `${name} is not a flag of this command.${hint}`,
      );
    } else if (flag.value === undefined) {
      given.set(flag.flag, [token.value ?? 'true']);
    } else if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))) {
      problems.push(`${name} needs a value: \`--${flag.flag} ${flag.value}\`.`);
    } else {
      given.set(flag.flag, [...(given.get(flag.flag) ?? []), token.value]);
    }
  }
  return { given, positionals };
}

function readVariables(env: Environment, problems: string[]): Map<string, string[]> {
  const names = [fileFlag, ...settings].map(({ variable }) => variable);
  for (const name of Object.keys(env)) {
    // Tests read some of their own, and run commands in the same environment.
    if (!name.startsWith('CRS_') || name.startsWith('CRS_TEST_') || names.includes(name)) continue;
    problems.push(`The environment variable \`${name}\` is not a setting.${didYouMean(name, names)}`);
  }
  const values = new Map<string, string[]>();
  for (const { flag, variable, repeats } of settings) {
    const text = env[variable];
    if (text !== undefined && text !== '') values.set(flag, repeats === true ? text.split(',') : [text]);
  }
  return values;
}

/** The object in a settings file; an empty one if it cannot be read. */
function readSettingsFile(
  path: string,
  readFile: (path: string) => string,
  problems: string[],
): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parseJson(readFile(path)).value; // strict: a repeated name is rejected
  } catch (error) {
    const where = error instanceof JsonError ? ` (line ${error.line}, column ${error.column})` : '';
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    problems.push(`The settings file ${path} cannot be read: ${why}${where}.`);
    return {};
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content };
  problems.push(`The settings file ${path} must be one JSON object.`);
  return {};
}

interface FromFile {
  /** The settings that are flags too, as texts. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly issuers: Config['issuers'];
  readonly problems: readonly string[];
}

const noFile: FromFile = { texts: new Map(), issuers: [], problems: [] };

/** The settings in a file's content, which is checked by the schema. */
function checkFile(given: Readonly<Record<string, unknown>>, path: string, readFile: ReadFile): FromFile {
  const content = withLists(fileSchema, given) as FileContent; // where checkContent finds no problem
  const found = checkContent(fileSchema, content, issuerFormats(readFile));
  const issuers = found.some(({ place }) => place[0] === issuersKey) ? [] : (content[issuersKey] ?? []);
  const wrong = new Set(found.map(({ place }) => place[0]));
  const scalars = Object.entries(content).filter(([key]) => key !== issuersKey && !wrong.has(key));
  return {
    texts: new Map(scalars.map(([key, value]) => [key, (Array.isArray(value) ? value : [value]).map(String)])),
    issuers: issuers.map(issuer => readIssuer(issuer, readFile)),
    problems: printProblems([...found, ...issuerProblems(issuers)], path, content),
  };
}

function readValue(flag: Flag, texts: readonly string[] | undefined, name: string, problems: string[]): unknown {
  const values = (texts ?? (flag.default === undefined ? [] : [flag.default])).map(text => {
    try {
      return flag.read(text.trim());
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  });
  if (flag.repeats === true) return values.flat();
  if (values.length > 1) problems.push(`${name} has ${values.length} values; set one.`);
  return values[0];
}

function contradictions(config: Config): string[] {
  const problems: string[] = [];
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    problems.push('`tls-cert` and `tls-key` belong together: set both for https, or none for http.');
  }
  if (config.interface !== 'shipped' && config.capability !== undefined) {
    problems.push('`interface` and `capability` both replace the shipped `capability/`: set one of them.');
  }
  if (config.access === 'open' && !isLoopback(config.host)) problems.push(openBeyondLoopback(config.host));
  if (parseStoreUrl(config.store)?.kind === 'mongodb' && config.storeTimeout <= config.searchDeadline) {
    problems.push(
      '`store-timeout` must be longer than `search-deadline`, or no search would be rejected as too costly.',
    );
  }
  return problems;
}

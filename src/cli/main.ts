import { inspect } from 'node:util';
import program from '../../package.json' with { type: 'json' };
import { ConfigError, readArguments } from '../config/read.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { hideCredentials } from '../store/url.ts';
import { createLog } from '../observability/log.ts';
import { fileFlag, settings } from '../config/settings.ts';
import type { Flag } from '../config/flag.ts';
import { CommandError, exitCodeMeanings, exitCodes, noPositionals } from './command.ts';
import type { Command, ExitCode } from './command.ts';
import { commands } from './commands.ts';
import type { CommandEntry } from './commands.ts';
import { explanation } from './explanation.ts';
import { endOnSignals } from './interruption.ts';
import { columns } from './print.ts';

const CALL = 'npm run cli --';

/** The output of `--help` without a command; after the first word of a group, its commands. */
function overview(group = ''): string {
  const inGroup = commands.filter(({ name }) => name.startsWith(`${group} `));
  const shown = inGroup.length > 0 ? inGroup : commands;
  return `A FHIR R4 server whose interface is data.

Usage: ${CALL} COMMAND [FLAGS]

Commands:
${columns(shown.map(({ name, summary }) => [name, summary]))}

\`${CALL} COMMAND --help\` explains one command. Settings may also be given as environment variables
(\`CRS_PORT\`) or in a JSON file (\`--config FILE\`).

Exit codes:
${columns(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]))}
`;
}

/** The output of `COMMAND --help`. */
function commandHelp({ name, summary }: CommandEntry, command: Command): string {
  const taken = settings.filter(({ flag }) => command.takes.includes(flag));
  const own = command.own ?? [];
  const flags = own.length > 0 ? `Flags:\n${columns(own.map(explained))}\n\n` : '';
  return `${summary}.

Usage: ${[CALL, name, command.positionals, '[FLAGS]'].filter(Boolean).join(' ')}
${command.details === undefined ? '' : `\n${command.details}\n`}
${flags}Settings (also as environment variable, or as a key in the settings file):
${columns([explained(fileFlag), ...taken.map(explained)])}
`;
}

function explained(flag: Flag & { readonly variable?: string }): [string, string] {
  const fallback = flag.default ?? flag.defaultNote;
  const notes = [
    fallback === undefined || flag.value === undefined
      ? ''
      : `default ${fallback}${flag.unit === undefined ? '' : ` ${flag.unit}`}`,
    fallback === undefined && flag.unit !== undefined ? `in ${flag.unit}` : '',
    flag.repeats === true ? 'may be repeated' : '',
    flag.variable ?? '',
  ].filter(note => note !== '');
  const meaning = flag.meaning.replaceAll('`', '');
  return [
    `--${flag.flag}${flag.value === undefined ? '' : ` ${flag.value}`}`,
    `${meaning}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`,
  ];
}

/** Runs a command line, reports errors, and returns the exit code. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `… | head` has read enough.
    process.exit(error.code === 'EPIPE' ? exitCodes.done : explain(error));
  });
  process.stderr.off('error', ignore).on('error', ignore);
  try {
    return await run(argv);
  } catch (error) {
    return explain(error);
  }
}

/** Output can no longer be written, and the work continues. */
const ignore = (): void => {};

/** Finds the command, parses its flags and runs it. */
async function run(given: readonly string[]): Promise<ExitCode> {
  const argv = withHelpFlag(given);
  if (argv[0] === '--version') {
    console.log(`${program.name} ${program.version}`);
    return exitCodes.done;
  }
  const help = argv.some(text => text === '--help' || text === '-h');
  const words = argv.slice(0, 2);
  const entry = commands.find(({ name }) => name === words.join(' ')) ?? commands.find(({ name }) => name === words[0]);
  if (entry === undefined) {
    if (help || argv.length === 0) {
      (help ? process.stdout : process.stderr).write(overview(words[0]));
      return help ? exitCodes.done : exitCodes.usage;
    }
    throw new ConfigError([unknownCommand(words)]);
  }
  const command = await entry.import();
  if (help) {
    process.stdout.write(commandHelp(entry, command));
    return exitCodes.done;
  }
  const rest = argv.slice(entry.name.split(' ').length);
  const isServer = entry.name === 'serve';
  logsJson = isServer && (/--log-format[ =]json\b/.test(rest.join(' ')) || process.env['CRS_LOG_FORMAT'] === 'json');
  const parsed = readArguments(rest, process.env, { own: command.own ?? [], takes: command.takes });
  logsJson = isServer && parsed.config.logFormat === 'json';
  if (command.positionals === undefined) noPositionals(parsed.positionals);
  if (isServer) return (await command.run(parsed)) ?? exitCodes.done; // which completes running requests
  const crash = (error: unknown): never => process.exit(explain(error));
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  const stopListening = endOnSignals(`Stopped.${command.whenStopped === undefined ? '' : ` ${command.whenStopped}`}`);
  try {
    return (await command.run(parsed)) ?? exitCodes.done;
  } finally {
    stopListening();
    process.off('uncaughtException', crash).off('unhandledRejection', crash);
  }
}

/** `help`, `help COMMAND` and `GROUP help` with the flag that they mean. */
function withHelpFlag(argv: readonly string[]): readonly string[] {
  const [first = '', second] = argv;
  if (first === 'help') return [...argv.slice(1), '--help'];
  const isGroup = second === 'help' && commands.some(({ name }) => name.startsWith(`${first} `));
  return isGroup ? [first, ...argv.slice(2), '--help'] : argv;
}

function unknownCommand([first = '', second = '']: readonly string[]): string {
  const names = commands.map(({ name }) => name);
  const group = names.filter(name => name.startsWith(`${first} `));
  if (group.length > 0)
    return `\`${first}\` is followed by ${group.map(name => `\`${name.slice(first.length + 1)}\``).join(', ')}.`;
  const given = names.some(name => name.includes(' ')) && !second.startsWith('-') ? `${first} ${second}`.trim() : first;
  return `\`${first}\` is not a command.${didYouMean(first, names) || didYouMean(given, names)}`;
}

/** Errors are lines of the log of a server if its settings can be read. */
let logsJson = false;

function print(text: string): void {
  const shown = hideCredentials(text);
  if (logsJson) createLog('info', process.stderr, Date.now, 'json').fatal(shown);
  else console.error(shown);
}

/** One sentence per problem on stderr, without a stack unless CRS_DEBUG is set, and never a password. */
function explain(error: unknown): ExitCode {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) print(problem);
    print('`--help` shows the commands, flags and settings.');
    return exitCodes.usage;
  }
  print(explanation(error));
  const debug = process.env['CRS_DEBUG'] ?? (process.argv.includes('--debug') ? '1' : '');
  if (debug !== '' && debug !== '0' && debug !== 'false') print(inspect(error));
  return error instanceof CommandError ? error.exitCode : exitCodes.failed;
}

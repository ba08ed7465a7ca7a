import { fileFlag, settings } from '../config/settings.ts';
import type { Flag } from '../config/flag.ts';
import { columns } from './columns.ts';
import { exitCodeMeanings } from './command.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import type { Entry } from './commands.ts';

const CALL = 'npm run cli --';

/** The output of `--help` without a command; after the first word of a group, its commands. */
export function overview(group = ''): string {
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
export function commandHelp({ name, summary }: Entry, command: Command): string {
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

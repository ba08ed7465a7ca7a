import { settings } from '../../config/settings.ts';
import { type Command, defineCommand, exitCodes } from '../command.ts';
import { noPositionals } from '../positionals.ts';
import type { Settings } from './environment.ts';

const details = `Nothing is written or started. Settings that are given, as flags, variables or in a
file, are printed as variables; others have what the target needs. Secrets are never printed: the first
lines name the files or objects that hold them. \`issuers\` of a settings file are not printed; mount the
file and set CRS_CONFIG.`;

/**
 * A command that prints a text that is made from the settings; `textOf` throws ConfigError if some are missing that the
 * target cannot choose.
 */
export const deployCommand = (textOf: (given: Settings) => string): Command =>
  defineCommand({
    details,
    takes: settings.map(({ flag }) => flag),
    async run({ texts, positionals }) {
      noPositionals(positionals);
      process.stdout.write(textOf(texts));
      return exitCodes.done;
    },
  });

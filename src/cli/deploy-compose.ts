import { settings } from '../config/settings.ts';
import { defineCommand, exitCodes } from './command.ts';
import { composeFile } from './deploy/compose.ts';
import { deployDetails } from './deploy/details.ts';
import { noPositionals } from './positionals.ts';

/** Prints a Compose file with a replica set of MongoDB from the settings. */
export const command = defineCommand({
  details: deployDetails,
  takes: settings.map(({ flag }) => flag),
  async run({ config, positionals }) {
    noPositionals(positionals);
    process.stdout.write(composeFile(config));
    return exitCodes.done;
  },
});

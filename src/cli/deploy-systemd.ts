import { settings } from '../config/settings.ts';
import { defineCommand, exitCodes } from './command.ts';
import { systemdUnit } from './deploy/systemd.ts';
import { deployDetails } from './deploy/details.ts';
import { noPositionals } from './positionals.ts';

/** Prints a systemd unit from the settings. */
export const command = defineCommand({
  details: deployDetails,
  takes: settings.map(({ flag }) => flag),
  async run({ config, positionals }) {
    noPositionals(positionals);
    process.stdout.write(systemdUnit(config));
    return exitCodes.done;
  },
});

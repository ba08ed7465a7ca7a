import { deployCommand } from './deploy/command.ts';
import { systemdUnit } from './deploy/systemd.ts';

/** Prints a systemd unit from the settings. */
export const command = deployCommand(systemdUnit);

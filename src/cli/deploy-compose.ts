import { deployCommand } from './deploy/command.ts';
import { composeFile } from './deploy/compose.ts';

/** Prints a Compose file with a replica set of MongoDB from the settings. */
export const command = deployCommand(composeFile);

import { defineCommand, fileSettings } from './command.ts';
import { requestChange } from './definitions-request.ts';
import { noPositionals } from './positionals.ts';

/** Lets the running server load its definition files again. */
export const command = defineCommand({
  details: `The server reads the files that its own settings name, checks them as a start would, and answers new
requests by them; requests that are running end with the former definitions. If there are problems, they
are printed with file and JSON path, nothing changes, and the exit code is 3. Indexes of new parameters
are built in the background. SIGHUP to the server does the same.`,
  takes: fileSettings,
  async run({ config, positionals }) {
    noPositionals(positionals);
    return requestChange(config, { action: 'reload' });
  },
});

import { settings } from '../config/settings.ts';
import { defineCommand, exitCodes } from './command.ts';
import { kubernetesManifests } from './deploy/kubernetes.ts';
import { deployDetails } from './deploy/details.ts';
import { noPositionals } from './positionals.ts';

/** Prints Kubernetes manifests from the settings. */
export const command = defineCommand({
  details: deployDetails,
  takes: settings.map(({ flag }) => flag),
  async run({ config, positionals }) {
    noPositionals(positionals);
    process.stdout.write(kubernetesManifests(config));
    return exitCodes.done;
  },
});

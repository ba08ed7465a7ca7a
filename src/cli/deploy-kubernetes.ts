import { deployCommand } from './deploy/command.ts';
import { kubernetesManifests } from './deploy/kubernetes.ts';

/** Prints Kubernetes manifests from the settings. */
export const command = deployCommand(kubernetesManifests);

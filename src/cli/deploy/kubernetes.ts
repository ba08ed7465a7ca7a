import { ConfigError } from '../../config/read.ts';
import program from '../../../package.json' with { type: 'json' };
import { environmentOf, stopSeconds, valueIn } from './environment.ts';
import type { Settings } from './environment.ts';
import { printYaml } from './yaml.ts';
import type { Yaml } from './yaml.ts';

const name = 'clinical-records';
const labels = { 'app.kubernetes.io/name': name };

/** Seconds until the load balancers of a cluster know that a pod ends. */
const drain = 5;

/**
 * Manifests: one pod with a volume for SQLite, several without for MongoDB. Secrets are named and not printed.
 * https://kubernetes.io/docs/reference/kubernetes-api/
 */
export function kubernetesManifests(given: Settings): string {
  requireOutside(given);
  const isMongo = given.get('store')?.[0]?.startsWith('mongodb') === true;
  const environment = environmentOf(given, {
    host: '0.0.0.0',
    store: 'sqlite:/data/records.sqlite',
    'key-file': '/keys/key',
    'require-store': 'true',
    'metrics-port': '9464',
    'metrics-host': '0.0.0.0',
    'log-format': 'json',
  });
  const shown = Object.fromEntries(Object.entries(environment).filter(([key]) => !(isMongo && key === 'CRS_STORE')));
  const port = Number(valueIn(environment, 'port'));
  const metrics = Number(valueIn(environment, 'metrics-port'));
  const manifests: readonly Yaml[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: shown },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
    ...(isMongo
      ? [
          {
            apiVersion: 'policy/v1',
            kind: 'PodDisruptionBudget',
            metadata: { name, labels },
            spec: { minAvailable: 1, selector: { matchLabels: labels } },
          },
        ]
      : []),
    {
      apiVersion: 'apps/v1',
      kind: isMongo ? 'Deployment' : 'StatefulSet',
      metadata: { name, labels },
      spec: {
        replicas: isMongo ? 2 : 1,
        ...(isMongo ? {} : { serviceName: name, volumeClaimTemplates: [claim] }),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(metrics) } },
          spec: pod({
            port,
            metrics,
            isMongo,
            isHttps: valueIn(environment, 'tls-cert') !== '',
            processes: valueIn(environment, 'processes'),
            seconds: stopSeconds(environment) + drain,
          }),
        },
      },
    },
  ];
  const store = isMongo ? '; `store`, the URL of MongoDB' : '';
  const head = [
    '# For Kubernetes 1.30 or later.',
    `# Secret ${name}: \`key\`, at least 32 random characters${store}.`,
    firstStart,
    ...(valueIn(environment, 'processes') === 'auto' ? [autoNote] : []),
  ].join('\n');
  return `${head}\n${manifests.map(manifest => `---\n${printYaml(manifest)}\n`).join('')}`;
}

const firstStart =
  '# The first start: set CRS_REQUIRE_STORE to "false", run `node src/start.js partition add` in a pod, and set it\n' +
  '# back: it refuses a start on an empty volume or database.';

/**
 * Throws ConfigError without the settings that only the operator knows: the URL that clients use, and either the
 * addresses of the proxies to trust or the certificates.
 */
function requireOutside(given: Settings): void {
  const missing: string[] = [];
  if (!given.has('public-url'))
    missing.push('`--public-url` is missing: the https URL by which clients reach the service.');
  if (!given.has('trusted-proxies') && !given.has('tls-cert'))
    missing.push(
      '`--trusted-proxies` is missing: the addresses of the ingress controller, which the service believes about ' +
        'clients; or let the service speak https itself, with `--tls-cert` and `--tls-key`.',
    );
  if (missing.length > 0) throw new ConfigError(missing);
}

const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '20Gi' } } },
};

interface Pod {
  readonly port: number;
  readonly metrics: number;
  readonly isMongo: boolean;
  /** The service itself speaks https. */
  readonly isHttps: boolean;
  /** The setting: a number, or `auto`. */
  readonly processes: string;
  /** Until the pod is killed. */
  readonly seconds: number;
}

const image = `${name}:${program.version}`;
const hardened = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Cores of a pod whose number of processes is `auto`. Without a limit, these would be those of the node. */
const autoCores = 2;
const autoNote =
  `# \`auto\` starts a process for each core of the CPU limit: with another limit, ` +
  'change that of the memory by 256Mi for each.';

/** One process, or the parent, has 1Gi; each further process 256Mi: about 100 MB, a large body, and its garbage. */
function resourcesOf(processes: string): { readonly [key: string]: Yaml } {
  const isAuto = processes === 'auto';
  const count = isAuto ? autoCores : Number(processes);
  const further = count > 1 ? count : 0;
  return {
    requests: { cpu: `${250 * count}m`, memory: `${256 + 96 * further}Mi` },
    limits: { ...(isAuto ? { cpu: String(autoCores) } : {}), memory: `${1024 + 256 * further}Mi` },
  };
}

function pod({ port, metrics, isMongo, isHttps, processes, seconds }: Pod): Yaml {
  const scheme = isHttps ? { scheme: 'HTTPS' } : {};
  const probe = (path: string): { readonly [key: string]: Yaml } => ({ httpGet: { path, port: 'http', ...scheme } });
  return {
    terminationGracePeriodSeconds: seconds,
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    // With `fsGroup`, its group could read the file of a secret, which the service refuses.
    initContainers: [
      {
        name: 'key',
        image,
        command: ['install', '-m', '400', '/secrets/key', '/keys/key'],
        securityContext: hardened,
        volumeMounts: [
          { name: 'secrets', mountPath: '/secrets', readOnly: true },
          { name: 'keys', mountPath: '/keys' },
        ],
      },
    ],
    containers: [
      {
        name,
        image,
        envFrom: [{ configMapRef: { name } }],
        ...(isMongo ? { env: [{ name: 'CRS_STORE', valueFrom: { secretKeyRef: { name, key: 'store' } } }] } : {}),
        ports: [
          { name: 'http', containerPort: port },
          { name: 'metrics', containerPort: metrics },
        ],
        startupProbe: { ...probe('/readyz'), periodSeconds: 2, failureThreshold: 300 },
        readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 3 },
        livenessProbe: { ...probe('/healthz'), periodSeconds: 10, timeoutSeconds: 5 },
        lifecycle: { preStop: { sleep: { seconds: drain } } },
        resources: resourcesOf(processes),
        securityContext: hardened,
        volumeMounts: [
          { name: 'tmp', mountPath: '/tmp' },
          { name: 'keys', mountPath: '/keys', readOnly: true },
          ...(isMongo ? [] : [{ name: 'data', mountPath: '/data' }]),
        ],
      },
    ],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      { name: 'keys', emptyDir: { medium: 'Memory' } },
      { name: 'secrets', secret: { secretName: name, defaultMode: 0o400, items: [{ key: 'key', path: 'key' }] } },
    ],
  };
}

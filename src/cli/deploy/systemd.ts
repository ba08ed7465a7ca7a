import { environmentOf, stopSeconds, valueIn } from './environment.ts';
import type { Settings } from './environment.ts';

const home = '/opt/clinical-records';
const user = 'clinical-records';
const data = `/var/lib/${user}`;
const configuration = `/etc/${user}`;

/**
 * A unit that runs the service as a user of its own.
 * https://www.freedesktop.org/software/systemd/man/systemd.exec.html
 */
export function systemdUnit(given: Settings): string {
  const environment = environmentOf(given, {
    store: `sqlite:${data}/records.sqlite`,
    'key-file': `${configuration}/key`,
    'require-store': 'true',
    'log-format': 'json',
  });
  const store = valueIn(environment, 'store');
  const isSecret = store.startsWith('mongodb');
  const shown = Object.entries(environment).filter(([name]) => !(isSecret && name === 'CRS_STORE'));
  return `# ${configuration}/key: a secret of ${user}, readable by its owner only (see --key-file).
# The store is made once, by \`partition add\` as ${user}: CRS_REQUIRE_STORE refuses a start without it.
# ${configuration}/environment: further settings, such as CRS_PUBLIC_URL; secrets only here, such as the URL of MongoDB.
[Unit]
Description=Clinical Records Service
Documentation=file:${home}/README.md
Wants=network-online.target
After=network-online.target
RequiresMountsFor=${data}

[Service]
Type=exec
User=${user}
Group=${user}
WorkingDirectory=${home}
${shown.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`).join('\n')}
EnvironmentFile=-${configuration}/environment
ExecStart=${home}/node_modules/.bin/node src/start.js serve
ExecReload=/bin/kill -HUP $MAINPID
KillMode=mixed
TimeoutStopSec=${stopSeconds(environment)}
Restart=always
RestartSec=1
RestartPreventExitStatus=2
StateDirectory=${user}
StateDirectoryMode=0700
ConfigurationDirectory=${user}
LimitNOFILE=65536
UMask=0077
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictSUIDSGID=yes
LockPersonality=yes
CapabilityBoundingSet=

[Install]
WantedBy=multi-user.target
`;
}

/** `%` begins a specifier of systemd. */
function quoted(text: string): string {
  const escaped = text.replaceAll('%', '%%');
  return /^[\w=:/.,@%+-]*$/.test(escaped) ? escaped : `"${escaped.replaceAll(/["\\]/g, '\\$&')}"`;
}

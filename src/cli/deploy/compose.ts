import { environmentOf, stopSeconds, valueIn } from './environment.ts';
import type { Settings } from './environment.ts';
import { printYaml } from './yaml.ts';
import type { Yaml } from './yaml.ts';

const members = ['mongo1', 'mongo2', 'mongo3'];
const mongoImage = 'mongo:8.0';

/** Makes the certificates, the keys and the passwords of the deployment once, in the volume of each side. */
const makeSecrets = `set -eu
umask 077
cd /secrets
test -f done && exit 0
openssl rand -base64 48 > key
openssl rand -base64 512 > replica-set-key
openssl rand -hex 24 > password
openssl rand -hex 24 > root-password
openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj /CN=clinical-records-ca -keyout ca.key -out ca.pem
for host in ${members.join(' ')}; do
  openssl req -newkey rsa:3072 -nodes -subj /O=clinical-records/CN=$$host -keyout $$host.key -out $$host.csr
  printf "subjectAltName=DNS:$$host,DNS:localhost" > $$host.ext
  openssl x509 -req -days 3650 -in $$host.csr -extfile $$host.ext -out $$host.crt \\
    -CA ca.pem -CAkey ca.key -CAcreateserial
  cat $$host.crt $$host.key > $$host.pem
done
mkdir -p /service && cp ca.pem key /service
printf "mongodb://clinical-records:%s@${members.join(',')}/records?replicaSet=rs0&authSource=records" \\
  "$$(cat password)" > /service/store
printf "&tls=true&tlsCAFile=/secrets/ca.pem" >> /service/store
chown -R 999:999 /secrets && chown -R 1000:1000 /service
touch done`;

/** Initiates the replica set and its users, unless they exist. The first user is made from localhost only. */
const initiate = `set -eu
export ROOT="$$(cat /secrets/root-password)" PASSWORD="$$(cat /secrets/password)"
shell="mongosh --quiet --tls --tlsCAFile /secrets/ca.pem --host localhost"
until $$shell --eval 'db.hello().ok' > /dev/null; do sleep 1; done
$$shell --eval '
  const records = db.getSiblingDB("records")
  try { if (records.auth("clinical-records", process.env.PASSWORD).ok === 1) quit(0) } catch {}
  try { rs.initiate({ _id: "rs0", members: [
    ${members.map((host, id) => `{ _id: ${id}, host: "${host}:27017", priority: ${id === 0 ? 2 : 1} }`).join(',\n    ')}
  ] }) } catch (error) { if (error.codeName !== "AlreadyInitialized" && error.codeName !== "Unauthorized") throw error }
  while (!db.hello().isWritablePrimary) sleep(500)
  const admin = db.getSiblingDB("admin")
  try { admin.createUser({ user: "root", pwd: process.env.ROOT, roles: ["root"] }) } catch {}
  admin.auth("root", process.env.ROOT)
  records.createUser({ user: "clinical-records", pwd: process.env.PASSWORD, roles: ["readWrite"] })'`;

/**
 * A Compose file: the service, and a replica set of MongoDB with users and TLS, whose secrets a first container makes.
 * https://github.com/compose-spec/compose-spec/blob/main/spec.md
 */
export function composeFile(given: Settings): string {
  const environment = environmentOf(given, {
    host: '0.0.0.0',
    'key-file': '/secrets/key',
    'public-url': '${CRS_PUBLIC_URL:?The https URL by which clients reach the service}',
    'trusted-proxies': '${CRS_TRUSTED_PROXIES:?The address of the proxy, as the service sees it}',
    'require-store': '${CRS_REQUIRE_STORE:-true}',
    'log-format': 'json',
  });
  const { CRS_STORE: _, ...shown } = environment;
  const port = valueIn(environment, 'port');
  const hardened = {
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    restart: 'unless-stopped',
  };
  const file: Yaml = {
    name: 'clinical-records',
    services: {
      service: {
        build: '.',
        user: '1000:1000',
        command: ['sh', '-c', 'CRS_STORE="$$(cat /secrets/store)" exec node src/start.js serve'],
        environment: shown,
        ports: [`127.0.0.1:${port}:${port}`],
        volumes: ['service-secrets:/secrets:ro'],
        tmpfs: ['/tmp'],
        stop_grace_period: `${stopSeconds(environment)}s`,
        depends_on: { initiate: { condition: 'service_completed_successfully' } },
        ...hardened,
      },
      secrets: {
        image: mongoImage,
        user: 'root',
        entrypoint: ['bash', '-c', makeSecrets],
        volumes: ['mongo-secrets:/secrets', 'service-secrets:/service'],
        restart: 'no',
      },
      initiate: {
        image: mongoImage,
        user: '999:999',
        entrypoint: ['bash', '-c', initiate],
        network_mode: 'service:mongo1',
        environment: { HOME: '/tmp' },
        volumes: ['mongo-secrets:/secrets:ro'],
        depends_on: Object.fromEntries(members.map(host => [host, { condition: 'service_started' }])),
        restart: 'on-failure',
      },
      ...Object.fromEntries(members.map(host => [host, { ...member(host), ...hardened }])),
    },
    volumes: Object.fromEntries(['mongo-secrets', 'service-secrets', ...members].map(volume => [volume, {}])),
  };
  return `# Made by \`npm run cli -- deploy compose\`. The service listens on loopback of this machine: put a proxy with
# https before it, and set CRS_PUBLIC_URL to its URL and CRS_TRUSTED_PROXIES to its address, in the environment or in
# \`.env\`. The first start needs CRS_REQUIRE_STORE=false; then run \`partition add\` in the container.
${printYaml(file)}
`;
}

/** https://www.mongodb.com/docs/manual/reference/program/mongod/ */
const member = (host: string): { readonly [key: string]: Yaml } => ({
  image: mongoImage,
  user: '999:999',
  command: [
    'mongod --replSet rs0 --bind_ip_all --auth --keyFile /secrets/replica-set-key --tlsMode requireTLS',
    `--tlsCertificateKeyFile /secrets/${host}.pem --tlsCAFile /secrets/ca.pem --tlsAllowConnectionsWithoutCertificates`,
  ].flatMap(words => words.split(' ')),
  volumes: [`${host}:/data/db`, 'mongo-secrets:/secrets:ro'],
  tmpfs: ['/tmp', '/data/configdb'],
  depends_on: { secrets: { condition: 'service_completed_successfully' } },
});
